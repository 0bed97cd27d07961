'use strict';
// The matrix: the rows stand in the page already; here they are hidden, put in order and walked through. Rows
// out of sight cost nothing (content-visibility), and all clicks are heard at one place.

Seamark.matrix = (() => {
  const {model, view, element} = Seamark;
  const tables = [];
  let order = '';
  let visible = model.functions;

  // One table per framework that has functions, its rows in the order of the index.
  function bind() {
    const boxes = [...document.querySelectorAll('#functions .matrix')];
    model.frameworks.forEach((_, framework) => {
      const functions = model.functions.filter((one) => one.framework === framework);
      if (functions.length === 0) return;
      const box = boxes.shift();
      const body = box.querySelector('tbody');
      functions.forEach((one, i) => {
        one.row = body.rows[i];
        one.row.dataset.at = one.at;
      });
      tables.push({framework, box, body, heading: box.previousElementSibling, functions});
    });
    for (const table of tables) addSortButtons(table);
    document.getElementById('functions').addEventListener('click', clicked);
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
      return cell && Number.isFinite(cell[model.CELL.warm]);
    });
  }

  // Up, down, then the next measure that this target has, then none.
  function nextSort(target) {
    const now = view.parseSort(view.get().sort || '');
    const all = hasTimes(target) ? ['latency', 'verdict', 'ratio'] : ['verdict'];
    const measures = all.filter((measure) => measure !== 'verdict' || model.judged);
    const steps = measures.flatMap((measure) => [true, false].map((down) => ({measure, target, down})));
    const at = steps.findIndex((step) => view.formatSort(step) === view.formatSort(now));
    return at + 1 < steps.length ? view.formatSort(steps[at + 1]) : '';
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

  function arrange(table, shown) {
    table.body.append(...shown.map((one) => one.row));
  }

  function apply() {
    visible = view.shown();
    const kept = new Set(visible);
    const sort = view.get().sort;
    const moved = sort !== order;
    order = sort;
    for (const table of tables) {
      const shown = visible.filter((one) => one.framework === table.framework);
      for (const one of table.functions) {
        if (one.row.hidden === kept.has(one)) one.row.hidden = !kept.has(one);
      }
      if (moved)
        arrange(table, sort ? shown : table.functions);
      else if (sort)
        arrange(table, shown);
      table.box.hidden = table.heading.hidden = shown.length === 0;
      table.box.dataset.verdict = view.get().verdict.replaceAll(',', ' ');
    }
    // Across the tables, as they stand.
    visible = tables.flatMap((table) => visible.filter((one) => one.framework === table.framework));
    markHeads();
  }

  // --- walking

  const rowOf = (node) => (node instanceof Element ? node.closest('#functions tbody tr') : null);

  function current() {
    const row = rowOf(document.activeElement);
    if (row) return model.functions[row.dataset.at];
    return model.functions.find((one) => one.name === view.get().fn) || null;
  }

  function focus(one) {
    one.row.querySelector('a').focus({preventScroll: true});
    one.row.scrollIntoView({block: 'nearest'});
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
    const before = document.querySelector('#functions tr[aria-current]');
    if (before) before.removeAttribute('aria-current');
    const one = model.functions.find((each) => each.name === name);
    if (one && one.row) one.row.setAttribute('aria-current', 'true');
  }

  return {bind, apply, move, mark, focus, current, visible: () => visible};
})();
