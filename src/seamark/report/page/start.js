'use strict';
// Puts the parts together: one change of the view at a time, the hash, the keys.

(() => {
  const {model, view, matrix, detail, toolbar, theme, element} = Seamark;
  const KEYS = [
    ['/', 'search'],
    ['j k', 'next, previous function'],
    ['Enter', 'its details'],
    ['Esc', 'close, or leave the search'],
    ['t', 'light, dark, as the system'],
    ['?', 'these keys'],
  ];
  let themeButton = null;
  let help = null;
  let waiting = 0;

  function apply() {
    waiting = 0;
    matrix.apply();
    toolbar.apply();
    Seamark.dtypes.apply();
  }

  // Filters at most once a frame, however fast one types.
  function later() {
    if (!waiting) waiting = requestAnimationFrame(apply);
  }

  function remember() {
    const hash = view.hash();
    if (hash === decodeURI(location.hash) || hash === location.hash) return;
    history.replaceState(null, '', hash || location.pathname + location.search);
  }

  // The one way by which anything of the view changes.
  Seamark.change = (change) => {
    const before = view.get();
    const now = view.set(change);
    remember();
    detail.show(now.fn);
    if (Object.keys(now).some((key) => key !== 'fn' && now[key] !== before[key])) later();
  };

  function fromHash() {
    const state = view.fromHash(location.hash);
    if (!state) return;
    view.set(state);
    detail.show(state.fn);
    apply();
    remember();
    const one = model.functions.find((each) => each.name === state.fn);
    const shown = (one && matrix.reveal(one)) || document.getElementById('functions');
    const scroll = () => shown.scrollIntoView({block: one ? 'center' : 'start'});
    scroll();
    // Again when the rows around it have the heights that they really have.
    if (one) requestAnimationFrame(() => requestAnimationFrame(scroll));
  }

  // --- keys

  function editing(node) {
    return node instanceof Element && node.matches('input, select, textarea, [contenteditable]');
  }

  function escape() {
    if (help.open) return help.close();
    const {fn} = view.get();
    if (editing(document.activeElement)) {
      if (document.activeElement.value && document.activeElement.type === 'search')
        return Seamark.change({q: ''});
      return document.activeElement.blur();
    }
    if (!fn) return undefined;
    const one = matrix.current();
    Seamark.change({fn: ''});
    if (one) matrix.focus(one);
    return undefined;
  }

  function toSearch() {
    toolbar.search().focus();
    toolbar.search().select();
  }

  // Details are open after Enter on a row's link; a second Enter goes into them.
  function enter(event) {
    const one = matrix.current();
    if (!one || !document.activeElement.closest('#functions tbody tr')) return;
    event.preventDefault();
    if (view.get().fn === one.name)
      detail.focus();
    else
      Seamark.change({fn: one.name});
  }

  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape')
      escape();
    else if (editing(event.target)) {
      if (event.key === 'Enter' && event.target === toolbar.search()) matrix.move(0);
    } else if (event.key === 'Enter')
      enter(event);
    else
      command(event);
  }

  function command(event) {
    const commands = {
      '/': toSearch,
      j: () => matrix.move(1),
      k: () => matrix.move(-1),
      t: theme.cycle,
      '?': () => help.showModal(),
    };
    if (!commands[event.key]) return;
    event.preventDefault();
    commands[event.key]();
  }

  // --- what stands in the head of the page

  function showTheme() {
    const mode = theme.mode();
    themeButton.textContent = {auto: '◐ auto', light: '☀ light', dark: '☾ dark'}[mode];
    themeButton.setAttribute('aria-label', `Colours: ${mode}. Change`);
  }

  function addButtons() {
    themeButton = element('button', {type: 'button', class: 'button theme', onclick: theme.cycle});
    const keys = element(
        'button', {type: 'button', class: 'button', 'aria-label': 'Keys', onclick: () => help.showModal()},
        '?');
    document.querySelector('nav').append(element('span', {class: 'tools'}, themeButton, keys));
    document.addEventListener('seamark:theme', showTheme);
    showTheme();
  }

  function addHelp() {
    const list = element('dl');
    for (const [key, what] of KEYS) {
      const caps = key.split(' ').map((one) => element('kbd', {}, one));
      list.append(element('dt', {}, ...caps), element('dd', {}, what));
    }
    const close = element('button', {type: 'button', class: 'button', onclick: () => help.close()}, 'Close');
    help = element('dialog', {id: 'keys', 'aria-labelledby': 'keys-name'});
    help.append(element('h2', {id: 'keys-name'}, 'Keys'), list, close);
    document.body.append(help);
  }

  function start() {
    matrix.bind();
    toolbar.bind();
    Seamark.dtypes.bind();
    apply();
    fromHash();
    document.addEventListener('keydown', pressed);
    window.addEventListener('hashchange', fromHash);
  }

  addHelp();
  addButtons();
  if (Seamark.model.functions.length > 0) start();
})();
