'use strict';
// The charts: Vega-Lite specifications of the page's data, drawn when they come into view. Vega's own
// interpreter evaluates their expressions, so that the page's policy needs no 'unsafe-eval'.

(() => {
  const holder = document.getElementById('charts-data');
  const frames = [...document.querySelectorAll('[data-chart]')];
  if (!holder || frames.length === 0 || typeof window.seamarkVega !== 'function') return;
  const {charts, config} = JSON.parse(holder.textContent);
  const drawn = new Map();  // frame: what vega-embed gave

  const isDark = () => window.Seamark && window.Seamark.theme ?
      window.Seamark.theme.dark() :
      window.matchMedia('(prefers-color-scheme: dark)').matches;

  function options(frame) {
    const theme = isDark() ? config.dark : config.light;
    const font = getComputedStyle(document.body).fontFamily;
    const background = getComputedStyle(frame).backgroundColor;
    return {
      ast: true,
      mode: 'vega-lite',
      renderer: 'svg',
      config: {...theme, font, background, padding: 5},
      actions: false,
      defaultStyle: false,
      tooltip: {disableDefaultStyle: true},
    };
  }

  // Buttons, as Vega-Embed's own menu answers to no key.
  function offerFiles(frame, view) {
    const old = frame.querySelector('.save');
    if (old) old.remove();
    const box = document.createElement('p');
    box.className = 'save';
    for (const kind of ['svg', 'png']) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = `save ${kind.toUpperCase()}`;
      button.addEventListener('click', async () => {
        const link = document.createElement('a');
        link.href = await view.toImageURL(kind, 2);
        link.download = `${frame.dataset.chart}.${kind}`;
        link.click();
      });
      box.append(button);
    }
    frame.append(box);
  }

  async function draw(frame) {
    const id = frame.dataset.chart;
    const place = frame.querySelector('.drawing');
    try {
      if (!window.vegaEmbed) window.seamarkVega();
      if (drawn.has(frame)) drawn.get(frame).finalize();
      const chart = await window.vegaEmbed(place, structuredClone(charts[id]), options(frame));
      drawn.set(frame, chart);
      offerFiles(frame, chart.view);
      frame.dataset.state = 'drawn';
    } catch (error) {
      place.textContent = `This chart could not be drawn: ${error.message}`;
      frame.dataset.state = 'failed';
    }
  }

  const watch = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          if (!entry.isIntersecting) continue;
          watch.unobserve(entry.target);
          draw(entry.target);
        }
      },
      {rootMargin: '300px'},
  );
  frames.forEach((frame) => watch.observe(frame));

  const redraw = () => [...drawn.keys()].forEach(draw);
  document.addEventListener('seamark:theme', redraw);
  if (!window.Seamark) {
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  }
  window.addEventListener('beforeprint', () => frames.filter((frame) => !drawn.has(frame)).forEach(draw));
})();
