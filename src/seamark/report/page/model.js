'use strict';
// What the page knows: the index of functions at once, their cases in parts when they are first looked at.
// Every text in it is shown by textContent only.

Seamark.model = (() => {
  // Places in a function's cell, as report/html_data.cc writes them.
  const CELL =
      {standing: 0, level: 1, category: 2, flags: 3, warm: 4, ratio: 5, failing: 6, passed: 7, cases: 8};
  const FLAG = {
    flaky: 1,
    slowWarm: 2,
    slowCold: 4,
    onHost: 8,
    onDevice: 16,
    failsOnReference: 32,
    unconfirmed: 64,
    noisy: 128,
    unanswered: 256,
    noDeviceWork: 512,
  };
  const STANDINGS = [
    {word: 'pass', css: 'pass', sign: '✓'},
    {word: 'partial', css: 'partial', sign: '◐'},
    {word: 'fail', css: 'fail', sign: '✕'},
    {word: 'not run', css: 'notrun', sign: '○'},
    {word: 'fails on reference', css: 'onref', sign: '≡'},
    {word: 'cases only', css: 'notrun', sign: '·'},
    {word: 'unanswered', css: 'unanswered', sign: '?'},
    {word: 'no device work', css: 'nowork', sign: '∅'},
    {word: 'unchecked', css: 'unchecked', sign: '~'},
    {word: 'not published', css: 'unsaid', sign: '–'},  // by a study, whose page html_study.cc writes
    // A pass that fell back to the host: a verdict of its own for the eye, `pass` in files for programs.
    {word: 'on host', css: 'host', sign: '⌂', written: 'pass'},
  ];

  function read(id) {
    const element = document.getElementById(id);
    return element ? JSON.parse(element.textContent) : null;
  }

  // Ids as report/html_text.cc makes them.
  function anchorOf(kind, name) {
    let id = `${kind}-`;
    for (const byte of new TextEncoder().encode(name)) {
      const c = String.fromCharCode(byte);
      id += /[A-Za-z0-9._\-/+]/.test(c) ? c : `~${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    }
    return id;
  }

  const index = read('seamark-index') || {functions: [], targets: [], frameworks: [], chunk: 64};
  const targets = index.targets.map((target, at) => ({...target, at}));
  const targetsOf = index.frameworks.map((_, f) => targets.filter((target) => target.framework === f));

  const HOST = STANDINGS.findIndex(({css}) => css === 'host');

  function functionCell(cell) {
    if (!cell) return null;
    return cell[CELL.flags] & FLAG.onHost ? [HOST, ...cell.slice(1)] : cell;
  }

  function functionOf(entry, at) {
    return {
      at,
      name: entry.n,
      lower: entry.n.toLowerCase(),
      anchor: entry.a || anchorOf('f', entry.n),
      framework: entry.f,
      hostOnly: Boolean(entry.h),
      remarks: entry.r || [],
      calls: entry.u ? entry.u[0] : null,
      mostCalls: entry.u ? entry.u[2] ?? entry.u[0] : null,
      tenth: entry.u ? entry.u[1] || null : null,
      dtypes: entry.d,
      declared: entry.dd || [],  // [device, data types that are named, those that are not]
      targets: targetsOf[entry.f],
      cells: entry.c.map(functionCell),
      row: null,
    };
  }

  const functions = index.functions.map(functionOf);
  const byAnchor = new Map(functions.map((one) => [one.anchor, one]));
  const parts = new Map();

  function part(number) {
    if (!parts.has(number)) parts.set(number, read(`seamark-cases-${number}`));
    return parts.get(number);
  }

  // The cases of a function: name, dtype, shape, suite, core, cells by target of its framework.
  function casesOf(one) {
    if (index.no_cases) return [];
    const whole = part(Math.floor(one.at / index.chunk));
    const text = (place) => whole.texts[place];
    return whole.functions[one.at % index.chunk].map(
        (row) => ({
          name: row[0].startsWith('/') ? one.name + row[0] : row[0],
          part: row[0].startsWith('/') ? row[0].slice(1) : row[0],
          dtype: text(row[1]),
          shape: text(row[2]),
          suite: text(row[3]),
          core: Boolean(row[4] & 1),
          grad: Boolean(row[4] & 2),
          cells: row[5].map((cell) => (cell ? caseCell(cell, whole.words) : null)),
        }));
  }

  function caseCell(cell, words) {
    const [place, flags, cold, warm, low, high, warmCount, ratio, ratioLow, ratioHigh] = cell;
    const names = [
      'outcome', 'css', 'level', 'category', 'type', 'message', 'reason', 'rule', 'confirmedBy', 'failingCall'
    ];
    const said = Object.fromEntries(names.map((name, i) => [name, words[place][i] || '']));
    if (said.css === 'pass' && flags & FLAG.onHost) said.css = 'host';
    return {
      ...said,
      flags,
      cold,
      warm,
      warmInterval: Number.isFinite(low) ? [low, high] : null,
      warmCount,
      ratio,
      ratioInterval: Number.isFinite(ratioLow) ? [ratioLow, ratioHigh] : null,
    };
  }

  return {
    CELL,
    FLAG,
    STANDINGS,
    functions,
    targets,
    targetsOf,
    casesOf,
    frameworks: index.frameworks,
    categories: index.categories || [],
    levels: index.levels || [],
    dtypes: index.dtypes || [],
    dtypeOrder: index.dtype_order || [],
    judged: functions.some((one) => one.cells.some((cell) => cell && STANDINGS[cell[0]].css !== 'unsaid')),
    noCases: index.no_cases || '',
    byAnchor: (anchor) => byAnchor.get(anchor) || null,
  };
})();

// Numbers as the tables of the page have them.
Seamark.text = (() => {
  function digits(value) {
    if (value >= 99.95) return value.toFixed(0);
    return value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
  }

  function seconds(value) {
    if (value === null || value === undefined) return '–';
    if (value < 0.9995e-6) return `${digits(value * 1e9)} ns`;
    if (value < 0.9995e-3) return `${digits(value * 1e6)} µs`;
    if (value < 0.9995) return `${digits(value * 1e3)} ms`;
    return value < 119.5 ? `${digits(value)} s` : `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
  }

  function number(value) {
    if (value < 0.001) return '<0.001';
    if (value < 0.0995) return value.toFixed(3);
    return value < 999.5 ? digits(value) : Math.round(value).toLocaleString('en-US');
  }

  const ratio = (value) => (value === null || value === undefined ? '–' : `${number(value)}×`);
  const range = (ends) => (ends ? `${number(ends[0])}–${number(ends[1])}` : '');

  // The unit once where both ends have it.
  function span(ends) {
    if (!ends) return '';
    const [low, high] = ends.map(seconds);
    const [value, unit] = low.split(' ');
    return high.endsWith(` ${unit}`) && low.split(' ').length === 2 ? `${value}–${high}` : `${low} – ${high}`;
  }

  const count = (value) => value.toLocaleString('en-US');
  const plural = (value, word) => `${count(value)} ${word}${value === 1 ? '' : 's'}`;
  // Empty where none is seen, nor possible.
  const calls = (one) => {
    if (one.mostCalls <= one.calls) return one.calls ? plural(one.calls, 'call') : '';
    return `${one.calls ? `${count(one.calls)} to` : 'up to'} ${plural(one.mostCalls, 'call')}`;
  };
  return {seconds, number, ratio, range, span, count, plural, calls};
})();

// element("td", { class: "num" }, "text", other): strings become text, never markup.
Seamark.element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on'))
      made.addEventListener(name.slice(2), value);
    else if (value === true)
      made.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined)
      made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== ''));
  return made;
};

// A name may break after a dot or an underscore.
Seamark.broken = (name) =>
    name.split(/(?<=[._])/).flatMap((part, i) => (i ? [Seamark.element('wbr'), part] : [part]));

// A verdict in words, with its sign.
Seamark.chip = (css, sign, word, compiled) => Seamark.element(
    'span', {class: `chip ${css}${compiled ? ' aot' : ''}`}, Seamark.element('i', {}, sign), word);
Seamark.signOf = (css) => Seamark.model.STANDINGS.find((one) => one.css === css)?.sign || '○';

Seamark.csv = (() => {
  // RFC 4180; a spreadsheet would run what begins with one of these.
  function field(value) {
    if (value === null || value === undefined) return '';
    if (typeof value === 'number') return String(value);
    const safe = /^[=+\-@\t]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  }

  const text = (rows) => `${rows.map((row) => row.map(field).join(',')).join('\r\n')}\r\n`;

  function save(name, rows) {
    const url = URL.createObjectURL(new Blob([text(rows)], {type: 'text/csv;charset=utf-8'}));
    Seamark.element('a', {href: url, download: name}).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }

  return {text, save};
})();
