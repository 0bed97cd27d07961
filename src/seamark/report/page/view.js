'use strict';
// What is shown: the state of search, filters, order and open function; which functions match it, in which
// order; and the state as the URL's hash (#?q=conv&verdict=fail&sort=-latency:torch/lazy&fn=torch.ormqr).

Seamark.view = (() => {
  const {CELL, STANDINGS, functions, targets, frameworks, categories, levels, dtypes} = Seamark.model;
  const VERDICTS = {
    pass: [0],
    host: [10],
    partial: [1],
    fail: [2],
    'not-run': [3, 5],
    'on-reference': [4],
    unanswered: [6],
    'no-device-work': [7],
    unchecked: [8],
    'not-published': [9],
  };
  const KEYS = [
    'q', 'framework', 'target', 'differs', 'verdict', 'category', 'dtype', 'evidence', 'tenth', 'columns',
    'dtypes', 'sort', 'fn'
  ];
  // Where it is known how often functions are called, the most called stand first.
  const BY_CALLS = functions.some((one) => one.calls !== null);
  const EMPTY =
      Object.freeze({...Object.fromEntries(KEYS.map((key) => [key, ''])), sort: BY_CALLS ? '-calls' : ''});

  let state = {...EMPTY};

  // --- matching

  // Names of the targets whose columns are shown; null: all.
  const columnsOf = (wanted) => (wanted.columns ? new Set(wanted.columns.split(',')) : null);

  // Numbers in place of words, once per change; -2 is a word that nothing has.
  function compile(wanted) {
    const place = (list, word) => (word ? (list.indexOf(word) === -1 ? -2 : list.indexOf(word)) : -1);
    const verdicts = wanted.verdict ? wanted.verdict.split(',') : [];
    const targetOf = (name) => (name ? targets.find((one) => one.name === name)?.at ?? -2 : -1);
    return {
      words: wanted.q.toLowerCase().split(/\s+/).filter(Boolean),
      framework: place(frameworks, wanted.framework),
      target: targetOf(wanted.target),
      differs: targetOf(wanted.differs),
      columns: columnsOf(wanted),
      standings: verdicts.length ? new Set(verdicts.flatMap((verdict) => VERDICTS[verdict] || [])) : null,
      category: place(categories, wanted.category),
      dtype: place(dtypes, wanted.dtype),
      level: place(levels, wanted.evidence),
      tenth: wanted.tenth,
    };
  }

  function functionMatches(one, filter) {
    if (filter.framework !== -1 && one.framework !== filter.framework) return false;
    if (filter.dtype !== -1 && !one.dtypes.includes(filter.dtype)) return false;
    if (filter.tenth === 'unseen' && !(one.calls !== null && one.tenth === null)) return false;
    if (filter.tenth && filter.tenth !== 'unseen' && String(one.tenth) !== filter.tenth) return false;
    if (filter.columns && !one.targets.some(({name}) => filter.columns.has(name))) return false;
    if (filter.differs !== -1 && !differs(one, filter)) return false;
    return filter.words.every((word) => one.lower.includes(word));
  }

  // From one target, on the chosen one or on any other: in verdict, or in why it fails.
  function differs(one, filter) {
    const base = one.cells[one.targets.findIndex((target) => target.at === filter.differs)];
    return Boolean(base) && one.cells.some((cell, i) => {
      if (!cell || (filter.target !== -1 && one.targets[i].at !== filter.target)) return false;
      return [CELL.standing, CELL.category].some((place) => cell[place] !== base[place]);
    });
  }

  // With a dtype, a failure counts where a case of that dtype fails.
  function cellMatches(cell, filter) {
    const standing = cell[CELL.standing];
    if (filter.standings && !filter.standings.has(standing)) return false;
    if (filter.category !== -1 && cell[CELL.category] !== filter.category) return false;
    if (filter.level !== -1 && cell[CELL.level] !== filter.level) return false;
    const failure = (filter.standings || filter.category !== -1) && (standing === 1 || standing === 2);
    return !(filter.dtype !== -1 && failure && !(cell[CELL.failing] || []).includes(filter.dtype));
  }

  function matches(one, filter) {
    if (!functionMatches(one, filter)) return false;
    const any = !filter.standings && filter.category === -1 && filter.level === -1 && filter.target === -1;
    if (any) return true;
    return one.cells.some((cell, i) => {
      if (!cell || (filter.target !== -1 && one.targets[i].at !== filter.target)) return false;
      return cellMatches(cell, filter);
    });
  }

  // How many functions each verdict would leave, with all other filters as they are.
  function verdictCounts() {
    const filter = compile({...state, verdict: ''});
    const counts = {};
    for (const [verdict, standings] of Object.entries(VERDICTS)) {
      const one = {...filter, standings: new Set(standings)};
      counts[verdict] = functions.reduce((sum, each) => sum + (matches(each, one) ? 1 : 0), 0);
    }
    return counts;
  }

  // --- order

  // By standing: failures first, then what fell back to the host.
  const SEVERITY = [7, 1, 0, 8, 6, 9, 3, 10, 11, 12, 2];

  function failures(one) {
    return one.cells.reduce((sum, cell) => sum + (cell && (cell[0] === 1 || cell[0] === 2) ? 1 : 0), 0);
  }

  function worstRatio(one) {
    const ratios = one.cells.map((cell) => (cell ? cell[CELL.ratio] : null)).filter(Number.isFinite);
    return ratios.length ? Math.max(...ratios) : null;
  }

  // A function's key for an order: a number, a text, or null (which comes last, whichever way it is sorted).
  function keyOf(measure, target) {
    if (measure === 'name') return (one) => one.lower;
    if (measure === 'calls') return (one) => one.calls || null;
    if (measure === 'failures') return failures;
    if (measure === 'worst') return worstRatio;
    return (one) => {
      const cell = one.cells[one.targets.findIndex((each) => each.name === target)];
      if (!cell) return null;
      if (measure === 'verdict') return SEVERITY[cell[CELL.standing]];
      const value = cell[measure === 'ratio' ? CELL.ratio : CELL.warm];
      return Number.isFinite(value) ? value : null;
    };
  }

  // "-latency:torch/lazy"
  function parseSort(text) {
    const down = text.startsWith('-');
    const [measure, ...rest] = text.slice(down ? 1 : 0).split(':');
    return {measure: measure || 'name', target: rest.join(':'), down};
  }

  const formatSort = ({measure, target, down}) => `${down ? '-' : ''}${measure}${target ? `:${target}` : ''}`;

  function sorted(list, text) {
    if (!text) return list;
    const {measure, target, down} = parseSort(text);
    const key = keyOf(measure, target);
    const keyed = list.map((one) => [key(one), one]);
    const sign = down ? -1 : 1;
    keyed.sort(([a, one], [b, other]) => {
      if (a === null || b === null) return a === b ? one.at - other.at : a === null ? 1 : -1;
      return a === b ? one.at - other.at : a < b ? -sign : sign;
    });
    return keyed.map(([, one]) => one);
  }

  // The functions that match, in order, all frameworks together.
  function shown() {
    const filter = compile(state);
    return sorted(functions.filter((one) => matches(one, filter)), state.sort);
  }

  // --- the hash

  function hash() {
    const used = KEYS.filter((key) => state[key] !== EMPTY[key]);
    if (used.length === 0) return '';
    const one = functions.find((each) => each.name === state.fn);
    if (used.length === 1 && one) return `#${one.anchor}`;
    const text = new URLSearchParams(used.map((key) => [key, state[key]])).toString();
    return `#?${text.replaceAll('%2F', '/').replaceAll('%3A', ':').replaceAll('%2C', ',')}`;
  }

  // null: the hash is no view but a place in the page.
  function fromHash(text) {
    if (text.startsWith('#?')) {
      const given = new URLSearchParams(text.slice(2));
      return Object.fromEntries(KEYS.map((key) => [key, given.get(key) || EMPTY[key]]));
    }
    const one = Seamark.model.byAnchor(text.slice(1));
    return one ? {...state, fn: one.name} : null;
  }

  function set(change) {
    state = {...state, ...change};
    return state;
  }

  return {
    EMPTY,
    STANDINGS,
    VERDICTS,
    BY_CALLS,
    get: () => state,
    set,
    shown,
    verdictCounts,
    parseSort,
    formatSort,
    hash,
    fromHash,
    columns: () => columnsOf(state),
    cellMatches: (cell) => cellMatches(cell, compile(state)),
    filtered: () => KEYS.some((key) => !['sort', 'fn', 'dtypes'].includes(key) && state[key]),
  };
})();
