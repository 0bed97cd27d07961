'use strict';
// What functions do in each data type, as dtype_verdict.cc has it: of one function among its details; of all
// that are shown on one target, forward and with gradients.

Seamark.dtypes = (() => {
  const {model, view, rows, element, broken, chip, signOf} = Seamark;
  const FIRST = 100;
  const MISSING = new Set(['type', 'not-implemented']);
  const WRONG = new Set(['wrong-result', 'float-precision']);
  // What says less stands before what says more; `written` is for programs.
  const LOOKS = [
    {word: 'unknown', css: 'notrun'}, {word: 'refused', css: 'onref'}, {word: 'pass', css: 'pass'},
    {word: 'host', css: 'host', written: 'falls-back'},
    {word: 'missing', css: 'fail', written: 'not-implemented'}, {word: 'fails', css: 'fail'},
    {word: 'wrong', css: 'fail'}
  ];
  let section = null;
  let box = null;
  let choice = null;
  let shown = {target: null, functions: []};

  function weightOf(cell) {
    if (cell.css === 'pass') return 2;
    if (cell.css === 'host') return 3;
    if (cell.css === 'onref') return 1;
    if (cell.css !== 'fail' && cell.css !== 'partial') return 0;
    if (MISSING.has(cell.category)) return 4;
    return WRONG.has(cell.category) ? 6 : 5;
  }

  // The worst of cases on the target at a place, how many pass and how many count; null: none is planned.
  function worstOf(cases, place) {
    const weights = cases.map((row) => row.cells[place]).filter(Boolean).map(weightOf);
    if (!weights.length) return null;
    const worst = Math.max(...weights);
    const passed = weights.filter((weight) => weight === 2 || weight === 3).length;
    const counted = weights.filter((weight) => weight !== 1 || worst === 1).length;
    return {...LOOKS[worst], partial: worst > 1 && passed < counted, passed, counted};
  }

  function cellOf(found, compiled) {
    if (!found) return element('td', {}, '');
    const word = compiled && found.word === 'pass' ? 'compiles' : found.word;
    const part = found.partial ? ` ${found.passed}/${found.counted}` : '';
    return element('td', {}, chip(found.css, signOf(found.css), word + part, compiled));
  }

  const place = (name) => (model.dtypeOrder.indexOf(name) + 1) || model.dtypeOrder.length + 1;
  const inOrder =
      (names) => [...new Set(names)].filter(Boolean).sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));

  function tableOf(heads) {
    const cells = heads.map((head) => element('th', {scope: 'col'}, ...[head].flat()));
    return element('table', {}, element('thead', {}, element('tr', {}, ...cells)), element('tbody'));
  }

  // --- of one function, a row per target

  function ofFunction(one, cases) {
    const names = inOrder(cases.map((row) => row.dtype));
    if (!names.length) return [];
    const table = tableOf(['target', ...names]);
    one.targets.forEach((target, i) => {
      if (!one.cells[i]) return;
      const cells = names.map((name) => {
        const own = cases.filter((row) => row.dtype === name);
        return cellOf(worstOf(own, i), target.compiled);
      });
      table.tBodies[0].append(element('tr', {}, element('th', {scope: 'row'}, target.name), ...cells));
    });
    for (const [device, named, missing] of one.declared) {
      const listed = (list, name) => list.split(' ').includes(name);
      const said = (name) => listed(named, name) ? 'yes' : listed(missing, name) ? 'no' : '';
      const cells = names.map((name) => element('td', {class: 'muted'}, said(name)));
      const head = element('th', {scope: 'row', class: 'muted'}, `declared: ${device}`);
      table.tBodies[0].append(element('tr', {}, head, ...cells));
    }
    const region = {class: 'scroll dtypes', role: 'region', 'aria-label': 'By data type', tabindex: '0'};
    return [element('h3', {}, 'By data type'), element('div', region, table)];
  }

  // --- of all functions that are shown, on one target

  const KINDS = [{word: 'forward', grad: false}, {word: 'gradient', grad: true}];

  // Data types and kinds of the cases that stand in the table, and for each function its cases.
  function columnsOf(target, functions) {
    const at = model.targetsOf[target.framework].indexOf(target);
    const cases = new Map(
        functions.map((one) => [one, model.casesOf(one).filter((row) => row.dtype && row.cells[at])]));
    const all = [...cases.values()].flat();
    const columns =
        inOrder(all.map((row) => row.dtype)).flatMap((dtype) => KINDS.map((kind) => ({dtype, ...kind})));
    const used = new Set(all.map((row) => `${row.dtype} ${row.grad}`));
    const present = columns.filter(({dtype, grad}) => used.has(`${dtype} ${grad}`));
    const worst = (one, {dtype, grad}) =>
        worstOf(cases.get(one).filter((row) => row.dtype === dtype && row.grad === grad), at);
    return {columns: present, worst};
  }

  function functionsOn(target) {
    const at = model.targetsOf[target.framework].indexOf(target);
    return Seamark.matrix.visible().filter((one) => one.framework === target.framework && one.cells[at]);
  }

  const targetOf = (name) => model.targets.find((one) => one.name === name) || null;

  function fill(target, functions) {
    const {columns, worst} = columnsOf(target, functions);
    const heads = columns.map(({dtype, word}) => [dtype, element('small', {}, word)]);
    const table = tableOf(['function', ...heads]);
    const body = table.tBodies[0];
    const rowOf = (one) => element(
        'tr', {}, element('th', {scope: 'row'}, element('a', {href: `#${one.anchor}`}, ...broken(one.name))),
        ...columns.map((column) => cellOf(worst(one, column), target.compiled)));
    const extend = (count) => {
      const from = body.rows.length;
      body.append(...functions.slice(from, from + count).map(rowOf));
      return table.isConnected && body.rows.length < functions.length;
    };
    box.replaceChildren(table);
    extend(FIRST);
    rows.later(() => extend(rows.MORE));
  }

  // One row per function, data type and kind.
  function lines() {
    const target = targetOf(view.get().dtypes);
    const out =
        [['framework', 'function', 'target', 'compiled_only', 'dtype', 'kind', 'verdict', 'passed', 'cases']];
    if (!target) return out;
    const functions = functionsOn(target);
    const {columns, worst} = columnsOf(target, functions);
    for (const one of functions) {
      for (const column of columns) {
        const found = worst(one, column);
        if (!found) continue;
        out.push([
          model.frameworks[target.framework], one.name, target.name, target.compiled ? 1 : 0, column.dtype,
          column.word, found.written || found.word, found.passed, found.counted
        ]);
      }
    }
    return out;
  }

  const csv = () => Seamark.csv.text(lines());

  function bind() {
    if (model.noCases || !model.dtypes.length) return;
    const option = (value, word) => element('option', {value}, word);
    choice = element(
        'select', {onchange: (event) => Seamark.change({dtypes: event.target.value})}, option('', 'none'),
        ...model.targets.map(({name}) => option(name, name)));
    const save = element(
        'button',
        {type: 'button', class: 'button', onclick: () => Seamark.csv.save('seamark-dtypes.csv', lines())},
        'CSV');
    box = element(
        'div',
        {class: 'scroll facts', role: 'region', 'aria-label': 'Functions by data type', tabindex: '0'});
    section = element('section', {id: 'dtypes'});
    section.append(
        element('h2', {}, 'Functions by data type'),
        element(
            'p', {class: 'note'},
            'The worst of all cases of a data type, core or not, apart by whether they take a gradient. The ' +
                'functions are those of the table above, in its order.'),
        element('div', {class: 'selects'}, element('label', {}, element('span', {}, 'target'), choice), save),
        box);
    document.getElementById('functions').after(section);
  }

  function apply() {
    if (!section) return;
    const target = targetOf(view.get().dtypes);
    const functions = target ? functionsOn(target) : [];
    choice.value = target ? target.name : '';
    box.hidden = section.querySelector('.button').hidden = !target;
    const same = target === shown.target && functions.length === shown.functions.length &&
        functions.every((one, i) => one === shown.functions[i]);
    if (target && !same) fill(target, functions);
    shown = {target, functions};
  }

  return {ofFunction, bind, apply, csv};
})();
