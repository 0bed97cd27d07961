'use strict';
// Light or dark: as the system has it, until the reader chooses. Runs in the head, before anything is
// painted. The rest of the page listens for "seamark:theme" on document (detail.dark) and asks
// Seamark.theme.dark().

const Seamark = {};
window.Seamark = Seamark;

Seamark.theme = (() => {
  const KEY = 'seamark-theme';
  const MODES = ['auto', 'light', 'dark'];
  const root = document.documentElement;
  const system = window.matchMedia('(prefers-color-scheme: dark)');

  // A file opened from disk may have no storage.
  function stored() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  }

  function store(mode) {
    try {
      localStorage.setItem(KEY, mode);
    } catch {
      // Then the choice lasts as long as the page.
    }
  }

  const mode = () => root.dataset.theme || 'auto';
  const dark = () => mode() === 'dark' || (mode() === 'auto' && system.matches);

  function announce() {
    document.dispatchEvent(new CustomEvent('seamark:theme', {detail: {dark: dark()}}));
  }

  function show(next) {
    if (next === 'light' || next === 'dark')
      root.dataset.theme = next;
    else
      delete root.dataset.theme;
  }

  function set(next) {
    show(next);
    store(next);
    announce();
  }

  const cycle = () => set(MODES[(MODES.indexOf(mode()) + 1) % MODES.length]);

  show(stored());
  system.addEventListener('change', announce);
  return {mode, dark, set, cycle};
})();
