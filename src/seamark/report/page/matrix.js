'use strict';
// The matrix: a table holds the rows that are shown and no others, the first ones at once and the rest in
// idle time. Rows out of sight cost nothing (content-visibility), and all clicks are heard at one place.

Seamark.matrix = (() => {
  const {model, view, rows, text, element, broken} = Seamark;
  const {CELL, FLAG} = model;
  const FIRST = 100;  // rows that are there at once: more than a window holds
  const tables = [];
  const hiding = new CSSStyleSheet();
  let visible = model.functions;
  let marked = '';

  // One table per framework that has functions, its rows in the order of the index.
  function bind() {
    const boxes = [...document.querySelectorAll('#functions .matrix')];
    model.frameworks.forEach((_, framework) => {
      const functions = model.functions.filter((one) => one.framework === framework);
      if (functions.length === 0) return;
      const box = boxes.shift();
      const body = box.querySelector('tbody');
      const heading = box.previousElementSibling;
      box.dataset.framework = framework;
      tables.push({framework, box, body, heading, functions, shown: functions, placed: 0});
    });
    for (const table of tables) {
      extend(table, FIRST);
      addSortButtons(table);
    }
    document.adoptedStyleSheets.push(hiding);
    document.getElementById('functions').addEventListener('click', clicked);
  }

  // --- rows

  function adopt(one, row) {
    row.dataset.at = one.at;
    one.row = row;
    if (one.name === marked) row.setAttribute('aria-current', 'true');
  }

  function headOf(one) {
    const facts = one.hostOnly ? ['host-only', ...one.remarks] : [...one.remarks];
    if (one.calls !== null) {
      if (one.tenth)
        facts.push(text.calls(one), `tenth ${one.tenth}`);
      else
        facts.push(text.calls(one) || 'no call seen');
    }
    const link = element('a', {href: `#${one.anchor}`}, ...broken(one.name));
    const more = facts.length ? element('small', {}, facts.join(' · ')) : '';
    return element('th', {scope: 'row'}, link, more);
  }

  // The first line: the latency where there is one, else the verdict.
  function headline(cell, target) {
    const {word, css} = model.STANDINGS[cell[CELL.standing]];
    if (word === 'pass' && target.compiled) return 'compiles';
    const parts = word === 'partial' ? [`${cell[CELL.passed]} of ${cell[CELL.cases]}`] : [];
    const timed = cell[CELL.level] >= 0 || css === 'unsaid';
    if (timed && Number.isFinite(cell[CELL.warm])) parts.push(text.seconds(cell[CELL.warm]));
    return parts.join(', ') || word;
  }

  function remarks(cell, target) {
    const is = (flag) => cell[CELL.flags] & flag;
    const parts = [];
    const {css} = model.STANDINGS[cell[CELL.standing]];
    if (css === 'unsaid') parts.push('verdict not published');
    if (css === 'host' && Number.isFinite(cell[CELL.warm])) parts.push(element('u', {}, 'on host'));
    if (cell[CELL.category] >= 0) parts.push(model.categories[cell[CELL.category]]);
    if (cell[CELL.level] >= 0) parts.push(model.levels[cell[CELL.level]]);
    const ratio = Number.isFinite(cell[CELL.ratio]) && !target.compiled ? text.ratio(cell[CELL.ratio]) : '';
    if (is(FLAG.slowWarm))
      parts.push(element('b', {}, `${ratio} slow`.trim()));
    else if (ratio)
      parts.push(ratio);
    if (is(FLAG.slowCold) && !is(FLAG.slowWarm)) parts.push(element('b', {}, 'slow cold'));
    if (is(FLAG.flaky)) parts.push('flaky');
    if (is(FLAG.noDeviceWork)) parts.push('no device work');
    const placed = is(FLAG.onDevice | FLAG.onHost | FLAG.noDeviceWork);
    if (css === 'pass' && !placed && !target.compiled) parts.push('placement unknown');
    return parts.flatMap((part, i) => [i ? ' · ' : '\n', part]);
  }

  function cellOf(cell, target) {
    if (!cell) return element('td', {class: 'none'});
    const {css, sign} = model.STANDINGS[cell[CELL.standing]];
    return element(
        'td', {class: target.compiled ? `${css} aot` : css},
        css === 'unsaid' ? headline(cell, target) : `${sign} ${headline(cell, target)}`,
        ...remarks(cell, target));
  }

  function make(one) {
    if (!one.row) {
      const cells = one.cells.map((cell, i) => cellOf(cell, one.targets[i]));
      adopt(one, element('tr', {}, headOf(one), ...cells));
    }
    return one.row;
  }

  // As many rows as that stand in the table, as far as there are.
  function extend(table, count) {
    if (table.placed >= Math.min(count, table.shown.length)) return;
    const next = table.shown.slice(table.placed, count);
    table.body.append(...next.map(make));
    table.placed += next.length;
  }

  // The page can be searched as a whole once all rows are there. False: they are.
  function fill() {
    const table = tables.find((each) => each.placed < each.shown.length);
    if (table) extend(table, table.placed + rows.MORE);
    return Boolean(table);
  }

  function show(table, shown) {
    if (shown.length === table.shown.length && shown.every((one, i) => one === table.shown[i])) return;
    table.shown = shown;
    table.placed = 0;
    table.body.replaceChildren();
    extend(table, FIRST);
  }

  // --- order by a click on a head

  function addSortButtons(table) {
    const heads = [...table.box.querySelectorAll('thead th')];
    const name = element('button', {type: 'button', class: 'sort', 'data-sort': 'name'}, 'function');
    heads[0].replaceChildren(name);
    heads.slice(1).forEach((head, i) => {
      const target = model.targetsOf[table.framework][i].name;
      const label = `Sort by ${target}`;
      const data = {'data-target': target, title: `${label}: latency, then verdict, then ratio`};
      head.append(element('button', {type: 'button', class: 'sort', 'aria-label': label, ...data}));
    });
  }

  function hasTimes(target) {
    const at = model.targets.find((one) => one.name === target);
    const place = model.targetsOf[at.framework].indexOf(at);
    return model.functions.some((one) => {
      const cell = one.framework === at.framework && one.cells[place];
      return cell && Number.isFinite(cell[CELL.warm]);
    });
  }

  // Up, down, then the next measure that this target has, then none.
  function nextSort(target) {
    const now = view.parseSort(view.get().sort || '');
    const all = hasTimes(target) ? ['latency', 'verdict', 'ratio'] : ['verdict'];
    const measures = all.filter((measure) => measure !== 'verdict' || model.judged);
    const steps = measures.flatMap((measure) => [true, false].map((down) => ({measure, target, down})));
    const at = steps.findIndex((step) => view.formatSort(step) === view.formatSort(now));
    return at + 1 < steps.length ? view.formatSort(steps[at + 1]) : view.EMPTY.sort;
  }

  function clicked(event) {
    const button = event.target.closest('button.sort');
    if (button) {
      const {target} = button.dataset;
      const byName = view.get().sort === 'name' ? '-name' : 'name';
      Seamark.change({sort: target ? nextSort(target) : byName});
      return;
    }
    const row = event.target.closest('tbody tr');
    const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey;
    if (!row || elsewhere || !document.getSelection().isCollapsed) return;
    event.preventDefault();
    Seamark.change({fn: model.functions[row.dataset.at].name});
  }

  function markHeads() {
    const {measure, target, down} = view.parseSort(view.get().sort || 'name');
    for (const button of document.querySelectorAll('#functions button.sort')) {
      const mine = button.dataset.target ? button.dataset.target === target : measure === 'name';
      const head = button.closest('th');
      if (mine)
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      else
        head.removeAttribute('aria-sort');
      if (button.dataset.target) button.textContent = mine ? `${measure} ${down ? '↓' : '↑'}` : 'sort';
    }
  }

  // --- what is shown

  function showColumns() {
    const columns = view.columns();
    const hidden = columns ? model.targets.filter(({name}) => !columns.has(name)) : [];
    hiding.replaceSync(hidden
                           .map((target) => {
                             const place = model.targetsOf[target.framework].indexOf(target) + 2;
                             return `.matrix[data-framework="${target.framework}"] tr > :nth-child(${
                                 place}) { display: none; }`;
                           })
                           .join('\n'));
  }

  function apply() {
    visible = view.shown();
    for (const table of tables) {
      const shown = visible.filter((one) => one.framework === table.framework);
      show(table, shown);
      table.box.hidden = table.heading.hidden = shown.length === 0;
      table.box.dataset.verdict = view.get().verdict.replaceAll(',', ' ');
    }
    // Across the tables, as they stand.
    visible = tables.flatMap((table) => table.shown);
    showColumns();
    markHeads();
    rows.later(fill);
  }

  // --- walking

  const rowOf = (node) => (node instanceof Element ? node.closest('#functions tbody tr') : null);

  function current() {
    const row = rowOf(document.activeElement);
    if (row) return model.functions[row.dataset.at];
    return model.functions.find((one) => one.name === view.get().fn) || null;
  }

  // Its row, in the table; null where it is not shown.
  function reveal(one) {
    const table = tables.find((each) => each.framework === one.framework);
    const at = table.shown.indexOf(one);
    if (at === -1) return null;
    extend(table, at + FIRST);
    return one.row;
  }

  function focus(one) {
    const row = reveal(one);
    if (!row) return;
    row.querySelector('a').focus({preventScroll: true});
    row.scrollIntoView({block: 'nearest'});
  }

  // To the next row that is shown; the open details follow.
  function move(step) {
    if (visible.length === 0) return;
    const at = visible.indexOf(current());
    const next = visible[Math.min(Math.max(at === -1 ? 0 : at + step, 0), visible.length - 1)];
    if (view.get().fn) Seamark.change({fn: next.name});
    focus(next);
  }

  function mark(name) {
    const rowOfName = (each) => model.functions.find((one) => one.name === each)?.row;
    rowOfName(marked)?.removeAttribute('aria-current');
    rowOfName(name)?.setAttribute('aria-current', 'true');
    marked = name;
  }

  return {bind, apply, move, mark, reveal, focus, current, visible: () => visible};
})();
