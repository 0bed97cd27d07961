'use strict';
// Long tables. Their first rows stand in the page as elements, the others below them in <noscript>: a table
// for readers without scripts, one text for all others, which costs next to nothing to open. Here rows are
// made of it, when they are to be seen or when there is nothing else to do.

Seamark.rows = (() => {
  const MORE = 25;  // rows in one go: a few milliseconds
  const whenIdle = window.requestIdleCallback || ((work) => setTimeout(work, 20));
  const steps = new Set();
  let asked = false;

  // The rows below a table, as markup. They are the page's own, and all that is ever parsed here.
  function takeMarkup(box) {
    const holder = box.querySelector('noscript');
    if (!holder) return [];
    const text = holder.textContent;
    holder.remove();
    return text.slice(text.indexOf('<tbody>'), text.lastIndexOf('</tbody>')).split('\n<tr>').slice(1);
  }

  function parse(markup) {
    const made = document.createElement('template');
    made.innerHTML = `<tr>${markup.join('<tr>')}`;
    return [...made.content.children];
  }

  // --- in idle time

  // The youngest first: it is of what was just asked for.
  function once() {
    const step = [...steps].pop();
    if (step && !step()) steps.delete(step);
  }

  function work(deadline) {
    asked = false;
    do once();
    while (steps.size > 0 && deadline && deadline.timeRemaining() > 10);
    ask();
  }

  function ask() {
    if (steps.size > 0 && !asked) whenIdle(work);
    asked = steps.size > 0;
  }

  // Calls step() until it returns false.
  function later(step) {
    steps.delete(step);
    steps.add(step);
    ask();
  }

  // A printed page is whole.
  window.addEventListener('beforeprint', () => {
    while (steps.size > 0) once();
  });

  // --- tables that are only read

  function complete(box) {
    const body = box.querySelector('tbody');
    const rest = takeMarkup(box);
    if (rest.length === 0) return;
    later(() => {
      body.append(...parse(rest.splice(0, MORE)));
      return rest.length > 0;
    });
  }

  document.querySelectorAll('.failures').forEach(complete);

  return {MORE, takeMarkup, parse, later};
})();
