'use strict';
// Everything about one function: verdicts, what failed and how to see it again, all cases.

Seamark.detail = (() => {
  const {model, text, element, chip, signOf} = Seamark;
  const {CELL, FLAG, STANDINGS} = model;
  let panel = null;
  let open = '';

  const tag = (word, css = '') => element('span', {class: `tag ${css}`}, word);

  // --- the head

  function facts(one) {
    const parts = [model.frameworks[one.framework]];
    if (one.hostOnly) parts.push('host-only: touches no device');
    if (one.calls !== null) {
      parts.push(
          one.tenth ? `${text.calls(one)} seen, tenth ${one.tenth} of 10` :
                      text.calls(one) || 'no call seen');
    }
    return element('p', {class: 'note'}, parts.join(' · '));
  }

  // "on the device 13 of 15 cases, 2 on the host": of its core cases that were run and do device work.
  const RAN = new Set(['pass', 'host', 'partial', 'fail']);

  function placementOf(cases, place) {
    const cells = cases.filter((row) => row.core).map((row) => row.cells[place]);
    const ran = cells.filter((cell) => cell && RAN.has(cell.css) && !(cell.flags & FLAG.noDeviceWork));
    const device = ran.filter((cell) => cell.css === 'pass' && cell.flags & FLAG.onDevice).length;
    const host = ran.filter((cell) => cell.css === 'host').length;
    const unknown = ran.filter((cell) => cell.css === 'pass').length - device;
    if (unknown && !device && !host) return 'where it ran is unknown';
    if (!ran.length) return '';
    const parts = [`on the device ${device} of ${text.plural(ran.length, 'case')}`];
    if (host) parts.push(`${host} on the host`);
    if (unknown) parts.push(`${unknown} unknown`);
    return parts.join(', ');
  }

  function verdictLine(one, target, cell, where) {
    const look = STANDINGS[cell[CELL.standing]];
    const compiles = target.compiled && look.word === 'pass';
    const line = element('li', {});
    line.append(chip(look.css, look.sign, compiles ? 'compiles' : look.word, target.compiled));
    line.append(element('a', {href: `#${target.anchor}`}, target.name));
    if (where && !target.compiled && !(cell[CELL.flags] & FLAG.noDeviceWork))
      line.append(element('span', {class: cell[CELL.flags] & FLAG.onHost ? 'where host' : 'where'}, where));
    const more = [];
    if (cell[CELL.level] >= 0) more.push(model.levels[cell[CELL.level]]);
    if (cell[CELL.category] >= 0) more.push(model.categories[cell[CELL.category]]);
    if (Number.isFinite(cell[CELL.warm])) more.push(text.seconds(cell[CELL.warm]));
    if (Number.isFinite(cell[CELL.ratio])) more.push(text.ratio(cell[CELL.ratio]));
    line.append(element('span', {class: 'muted'}, more.join(' · ')));
    return line;
  }

  function verdicts(one, cases) {
    const list = element('ul', {class: 'verdicts'});
    one.targets.forEach((target, i) => {
      if (one.cells[i]) list.append(verdictLine(one, target, one.cells[i], placementOf(cases, i)));
    });
    return list;
  }

  // --- what it said

  // The same words once, with all the places that said them.
  function groups(one, cases) {
    const found = new Map();
    for (const row of cases) {
      row.cells.forEach((cell, i) => {
        if (!cell || !(cell.message || cell.type || cell.reason)) return;
        const key = JSON.stringify([cell.category, cell.type, cell.message, cell.reason]);
        if (!found.has(key)) found.set(key, {cell, places: []});
        found.get(key).places.push({row, target: one.targets[i]});
      });
    }
    return [...found.values()].sort((a, b) => Boolean(b.cell.category) - Boolean(a.cell.category));
  }

  const quoted = (word) => `'${word.replaceAll('\'', '\'\\\'\'')}'`;

  function command(place) {
    return `seamark show ${quoted(place.row.name)} --script --target ${quoted(place.target.name)}`;
  }

  async function copy(words, button) {
    try {
      await navigator.clipboard.writeText(words);
      button.textContent = 'copied';
    } catch {
      const range = document.createRange();
      range.selectNodeContents(button.previousElementSibling);
      document.getSelection().removeAllRanges();
      document.getSelection().addRange(range);
      button.textContent = 'selected';
    }
    setTimeout(() => (button.textContent = 'copy'), 1500);
  }

  function reproducer(place) {
    const words = command(place);
    const button = element('button', {type: 'button', onclick: () => copy(words, button)}, 'copy');
    return element('p', {class: 'reproduce'}, element('code', {}, words), button);
  }

  function placesLine(places) {
    const byTarget = new Map();
    for (const {row, target} of places) {
      if (!byTarget.has(target.name)) byTarget.set(target.name, []);
      byTarget.get(target.name).push(row.part);
    }
    const parts = [...byTarget].map(([target, rows]) => {
      const shown = rows.slice(0, 3).join(', ');
      return `${target}: ${shown}${rows.length > 3 ? ` and ${rows.length - 3} more` : ''}`;
    });
    return parts.join(' · ');
  }

  function said({cell, places}) {
    const head = element('p', {}, cell.category ? tag(cell.category, 'cat') : tag(cell.outcome));
    if (cell.flags & FLAG.failsOnReference) head.append(tag('fails on reference'));
    if (cell.flags & FLAG.unanswered) head.append(tag('unanswered'));
    if (cell.flags & FLAG.unconfirmed) head.append(tag('unconfirmed'));
    if (cell.rule) head.append(element('span', {class: 'muted'}, ` rule ${cell.rule}`));
    const body = element('pre', {class: 'error', tabindex: '0'});
    if (cell.type && !cell.message.startsWith(cell.type)) body.append(element('b', {}, cell.type), '\n');
    body.append(cell.message || cell.reason);
    if (cell.failingCall) body.append(`\nits smallest call that fails: ${cell.failingCall}`);
    const where = element('p', {class: 'where'}, placesLine(places));
    return element('li', {}, head, where, body, cell.category ? reproducer(places[0]) : '');
  }

  // --- the cases

  function timeCell(seconds, more) {
    return element('td', {class: 'num'}, text.seconds(seconds), more ? element('small', {}, more) : '');
  }

  function caseLine(cell, target) {
    const outcome = element(
        'td', {},
        chip(cell.css, signOf(cell.css), cell.css === 'host' ? 'on host' : cell.outcome, target.compiled));
    if (cell.category) outcome.append(' ', tag(cell.category, 'cat'));
    const warm = [text.span(cell.warmInterval), cell.warmCount ? `n ${cell.warmCount}` : ''];
    const ratio =
        element('td', {class: cell.flags & FLAG.slowWarm ? 'num slow' : 'num'}, text.ratio(cell.ratio));
    if (cell.ratioInterval) ratio.append(element('small', {}, text.range(cell.ratioInterval)));
    const rests =
        element('td', {}, cell.level, element('small', {}, cell.flags & FLAG.onDevice ? 'on device' : ''));
    return element(
        'tr', {}, element('th', {scope: 'row'}, target.name), outcome, rests, timeCell(cell.cold),
        timeCell(cell.warm, warm.filter(Boolean).join(' · ')), ratio);
  }

  // One group of rows per case, one row per target.
  function caseRows(one, row) {
    const facts = [row.dtype, row.shape, row.suite].filter(Boolean).join(' · ');
    const name =
        element('th', {colspan: '6', scope: 'rowgroup'}, row.part, element('span', {class: 'muted'}, facts));
    if (!row.core) name.append(tag('not core'));
    const body = element('tbody', {}, element('tr', {class: 'case'}, name));
    row.cells.forEach((cell, i) => {
      if (cell) body.append(caseLine(cell, one.targets[i]));
    });
    return body;
  }

  function caseTable(one, cases) {
    const heads = ['target', 'outcome', 'evidence', 'cold', 'warm', 'ratio'];
    const numbers = new Set(['cold', 'warm', 'ratio']);
    const head =
        heads.map((word) => element('th', {scope: 'col', class: numbers.has(word) ? 'num' : null}, word));
    const table = element('table', {}, element('thead', {}, element('tr', {}, ...head)));
    table.append(...cases.map((row) => caseRows(one, row)));
    return element(
        'div', {class: 'scroll cases', role: 'region', 'aria-label': 'Cases', tabindex: '0'}, table);
  }

  // --- the panel

  function make() {
    const close = {
      type: 'button',
      class: 'close',
      'aria-label': 'Close the details',
      onclick: () => Seamark.change({fn: ''})
    };
    panel = element(
        'div',
        {id: 'detail', role: 'dialog', 'aria-labelledby': 'detail-name', tabindex: '-1', hidden: true});
    panel.append(element('button', close, '✕'), element('div', {class: 'content'}));
    document.body.append(panel);
  }

  function fill(one) {
    const cases = model.casesOf(one);
    const found = groups(one, cases);
    const content = [element('h2', {id: 'detail-name'}, one.name), facts(one), verdicts(one, cases)];
    if (found.length) {
      content.push(element('h3', {}, 'What it said'), element('ul', {class: 'said'}, ...found.map(said)));
    }
    content.push(...Seamark.dtypes.ofFunction(one, cases));
    if (model.noCases)
      content.push(element('p', {class: 'note'}, model.noCases));
    else
      content.push(element('h3', {}, text.plural(cases.length, 'case')), caseTable(one, cases));
    const link = element('a', {href: `#${one.anchor}`}, 'Link to this function');
    content.push(element('p', {class: 'note'}, link));
    panel.querySelector('.content').replaceChildren(...content);
    panel.scrollTop = 0;
  }

  // "" closes it.
  function show(name) {
    if (!panel) make();
    if (name === open) return;
    const one = model.functions.find((each) => each.name === name);
    open = one ? name : '';
    panel.hidden = !one;
    document.documentElement.classList.toggle('with-detail', Boolean(one));
    if (one) fill(one);
    Seamark.matrix.mark(open);
  }

  return {show, focus: () => panel.focus(), contains: (node) => Boolean(panel && panel.contains(node))};
})();
