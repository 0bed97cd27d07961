'use strict';
// Search, filters, order, the current view as CSV.

Seamark.toolbar = (() => {
  const {model, view, text, element} = Seamark;
  const controls = {};
  let status = null;
  let reset = null;

  // --- controls

  function option(value, label) {
    return element('option', {value}, label);
  }

  function select(key, label, entries, any = 'any') {
    if (entries.length === 0) return '';
    const box = element('select', {onchange: (event) => Seamark.change({[key]: event.target.value})});
    if (any) box.append(option('', any));
    box.append(...entries.map(([value, word]) => option(value, word)));
    controls[key] = box;
    return element('label', {}, element('span', {}, label), box);
  }

  const same = (words) => words.map((word) => [word, word]);

  function search() {
    const box = element('input', {
      type: 'search',
      placeholder: 'Search functions  ( / )',
      'aria-label': 'Search functions',
      'aria-keyshortcuts': '/',
      autocomplete: 'off',
      spellcheck: 'false',
      oninput: (event) => Seamark.change({q: event.target.value}),
    });
    controls.q = box;
    return box;
  }

  function toggleVerdict(verdict) {
    const now = new Set(view.get().verdict.split(',').filter(Boolean));
    if (!now.delete(verdict)) now.add(verdict);
    const kept = Object.keys(view.VERDICTS).filter((one) => now.has(one));
    Seamark.change({verdict: kept.join(',')});
  }

  function verdictButton(verdict) {
    const look = model.STANDINGS[view.VERDICTS[verdict][0]];
    const button = element('button', {
      type: 'button',
      class: `verdict chip ${look.css}`,
      'aria-pressed': 'false',
      'data-verdict': verdict,
      onclick: () => toggleVerdict(verdict),
    });
    button.append(element('i', {'aria-hidden': 'true'}, look.sign), look.word, ' ', element('b'));
    return button;
  }

  function verdicts() {
    const group = element('div', {class: 'verdicts', role: 'group', 'aria-label': 'Verdict'});
    group.append(...Object.keys(view.VERDICTS).map(verdictButton));
    controls.verdict = group;
    return group;
  }

  function tenths() {
    if (!view.BY_CALLS) return [];
    const words = ['1: most called', '2', '3', '4', '5', '6', '7', '8', '9', '10: least called'];
    return [...words.map((word, i) => [String(i + 1), word]), ['unseen', 'no call seen']];
  }

  function orders() {
    const out = [['name', 'name'], ['-worst', 'greatest ratio']];
    if (model.judged) out.splice(1, 0, ['-failures', 'most failures']);
    if (view.BY_CALLS) out.unshift(['-calls', 'most called']);
    for (const {name} of model.targets) {
      if (model.judged) out.push([`-verdict:${name}`, `worst verdict on ${name}`]);
      out.push([`-latency:${name}`, `slowest on ${name}`], [`-ratio:${name}`, `greatest ratio of ${name}`]);
    }
    return out;
  }

  function selects() {
    const box = element('div', {class: 'selects'});
    box.append(
        ...[model.frameworks.length > 1 ? select('framework', 'framework', same(model.frameworks)) : '',
            select('target', 'target', same(model.targets.map((one) => one.name))),
            model.judged && model.targets.length > 1 ?
                select('differs', 'differs from', same(model.targets.map((one) => one.name))) :
                '',
            select('category', 'category', same([...model.categories].sort())),
            select('dtype', 'dtype', same([...model.dtypes].sort())),
            select('evidence', 'evidence', same([...model.levels].sort())),
            select('tenth', 'tenth by use', tenths()),
            select('sort', 'order', orders(), view.BY_CALLS ? '' : 'as listed'),
    ].filter(Boolean),
    );
    return box;
  }

  function chooseColumns() {
    const boxes = [...controls.columns.querySelectorAll('input')];
    const on = boxes.filter((box) => box.checked);
    Seamark.change({columns: on.length === boxes.length ? '' : on.map((box) => box.value).join(',')});
  }

  function columns() {
    if (model.targets.length < 2) return '';
    const boxes = model.targets.map(({name}) => {
      const box = element('input', {type: 'checkbox', value: name, onchange: chooseColumns});
      return element('label', {}, box, name);
    });
    controls.columns = element('details', {class: 'columns'}, element('summary', {}, 'columns'), ...boxes);
    return controls.columns;
  }

  // --- CSV

  const COLUMNS = [
    'framework',
    'function',
    'host_only',
    'calls',
    'tenth',
    'target',
    'verdict',
    'category',
    'evidence',
    'flaky',
    'slow_warm',
    'slow_cold',
    'on_host',
    'warm_s',
    'warm_ratio',
  ];

  function line(one, target, cell) {
    const {CELL, FLAG} = model;
    const flag = (bit) => (cell[CELL.flags] & bit ? 1 : 0);
    const name = (list, place) => (place >= 0 ? list[place] : '');
    const standing = model.STANDINGS[cell[CELL.standing]];
    return [
      model.frameworks[one.framework],
      one.name,
      one.hostOnly ? 1 : 0,
      one.calls,
      one.tenth,
      target.name,
      standing.written || standing.word,
      name(model.categories, cell[CELL.category]),
      name(model.levels, cell[CELL.level]),
      flag(FLAG.flaky),
      flag(FLAG.slowWarm),
      flag(FLAG.slowCold),
      flag(FLAG.onHost),
      cell[CELL.warm],
      cell[CELL.ratio],
    ];
  }

  // One line per function that is shown and target; with a target chosen only that one.
  function lines() {
    const chosen = view.get().target;
    const columns = view.columns();
    const isShown = ({name}) => (!chosen || name === chosen) && (!columns || columns.has(name));
    const lines = [COLUMNS];
    for (const one of Seamark.matrix.visible()) {
      one.targets.forEach((target, i) => {
        if (one.cells[i] && isShown(target)) lines.push(line(one, target, one.cells[i]));
      });
    }
    return lines;
  }

  const csv = () => Seamark.csv.text(lines());
  const download = () => Seamark.csv.save('seamark-view.csv', lines());

  // --- the whole

  function bind() {
    status = element('p', {class: 'status', role: 'status'});
    reset = element('button', {type: 'button', class: 'button', onclick: clear}, 'Clear');
    const save = element('button', {type: 'button', class: 'button', onclick: download}, 'CSV');
    save.title = 'Save the rows that are shown';
    const first = element('div', {class: 'line'}, search(), status, reset, save);
    const bar = element('div', {class: 'toolbar', role: 'search', 'aria-label': 'Functions'});
    bar.append(first, verdicts(), selects(), columns());
    document.querySelector('#functions .legend').before(bar);
  }

  function clear() {
    const {fn, dtypes} = view.get();
    Seamark.change({...view.EMPTY, fn, dtypes});
    controls.q.focus();
  }

  function showVerdicts(state) {
    const on = new Set(state.verdict.split(','));
    const counts = view.verdictCounts();
    for (const button of controls.verdict.children) {
      const {verdict} = button.dataset;
      button.setAttribute('aria-pressed', String(on.has(verdict)));
      button.querySelector('b').textContent = text.count(counts[verdict]);
      button.hidden = counts[verdict] === 0 && !on.has(verdict);
    }
  }

  // What was given by hand in the hash and is in no list stands there too.
  function showSelect(box, value) {
    if (value && ![...box.options].some((one) => one.value === value)) box.append(option(value, value));
    box.value = value;
  }

  function apply() {
    const state = view.get();
    for (const [key, control] of Object.entries(controls)) {
      if (control instanceof HTMLSelectElement) showSelect(control, state[key]);
    }
    const columns = view.columns();
    for (const box of controls.columns?.querySelectorAll('input') || [])
      box.checked = !columns || columns.has(box.value);
    if (controls.q.value !== state.q) controls.q.value = state.q;
    showVerdicts(state);
    const shown = Seamark.matrix.visible().length;
    const all = model.functions.length;
    status.textContent = shown === all ? text.plural(all, 'function') :
                                         `${text.count(shown)} of ${text.plural(all, 'function')}`;
    reset.hidden = !view.filtered() && state.sort === view.EMPTY.sort;
  }

  return {bind, apply, csv, search: () => controls.q};
})();
