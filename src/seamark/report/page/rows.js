'use strict';
// Work for idle time: rows of long tables are made when there is nothing else to do.

Seamark.rows = (() => {
  const MORE = 25;  // rows in one go: a few milliseconds
  const whenIdle = window.requestIdleCallback || ((work) => setTimeout(work, 20));
  const steps = new Set();
  let asked = false;

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

  return {MORE, later};
})();
