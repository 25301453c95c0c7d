// Draws pipelines: who works when, what is on its way, and how all schedules do. The data are those of
// `tessera check --json` (docs/pipelines.md, "As JSON").
'use strict';
const Timeline = (() => {
  const { bytes, seconds, element, svg } = Stage;
  const WIDTH_MIN = 560, WIDTH_MAX = 1400;  // as wide as the page allows; a narrower one scrolls
  const LEFT = 64;
  const ROW = 30;
  const LANE = 8;  // below each stage: what its visits send
  const TOP = 20;

  const x = (time, pipeline) => LEFT + (pipeline.width - LEFT - 4) * (time / (pipeline.makespan || 1));
  const hue = (microbatch) => (microbatch * 47 + 210) % 360;
  const isFirst = (pipeline, visit) => pipeline.firsts.has(visit);

  // What a microbatch of a visit is called, where there is room for it: text is never smaller than 12 pixels.
  function block(pipeline, one) {
    const left = x(one.begin_seconds, pipeline);
    const width = Math.max(1, x(one.end_seconds, pipeline) - left);
    const y = TOP + one.stage * (ROW + LANE);
    const first = isFirst(pipeline, one.visit);
    const rectangle = svg('rect', { x: left, y, width, height: ROW - 2, rx: 2,
      class: first ? 'visit first' : 'visit', style: `--hue: ${hue(one.microbatch)}` });
    rectangle.append(svg('title', {}, `microbatch ${one.microbatch}, ${first ? 'first' : 'later'} visit of stage ${one.stage}: ${seconds(one.begin_seconds)} to ${seconds(one.end_seconds)}`));
    const text = String(one.microbatch);
    if (width < 9 * text.length) return [rectangle];
    return [rectangle, svg('text', { x: left + width / 2, y: y + ROW / 2 + 3, 'text-anchor': 'middle' }, text)];
  }

  function passage(pipeline, one) {
    const stage = pipeline.stageOf.get(one.from_visit);
    const left = x(one.begin_seconds, pipeline);
    const line = svg('rect', { x: left, y: TOP + stage * (ROW + LANE) + ROW, width: Math.max(1, x(one.end_seconds, pipeline) - left),
      height: LANE - 4, class: 'passage', style: `--hue: ${hue(one.microbatch)}` });
    line.append(svg('title', {}, `microbatch ${one.microbatch} on its way: ${seconds(one.begin_seconds)} to ${seconds(one.end_seconds)}`));
    return line;
  }

  function picture(pipeline) {
    const height = TOP + pipeline.stages.length * (ROW + LANE) + 4;
    const width = pipeline.width;
    const root = svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `Timeline of ${pipeline.stages.length} stages` });
    root.append(svg('text', { x: LEFT, y: 13 }, '0 s'),
      svg('text', { x: width - 4, y: 13, 'text-anchor': 'end' }, seconds(pipeline.makespan)));
    pipeline.stages.forEach((stage, i) => {
      const y = TOP + i * (ROW + LANE);
      root.append(svg('text', { x: 0, y: y + ROW / 2 + 3 }, `stage ${i}`),
        svg('rect', { x: LEFT, y, width: width - LEFT - 4, height: ROW - 2, class: 'waiting' }));
    });
    for (const one of pipeline.timeline.borders) root.append(passage(pipeline, one));
    for (const one of pipeline.timeline.visits) root.append(...block(pipeline, one));
    return root;
  }

  function table(names, rows) {
    const cells = (kind, row) => element('tr', {}, ...row.map((text) => element(kind, { textContent: text })));
    return element('table', {}, element('thead', {}, cells('th', names)), element('tbody', {}, ...rows.map((row) => cells('td', row))));
  }

  // What drawing asks for again and again.
  function known(pipeline, available) {
    const stageOf = new Map();
    const firsts = new Set();
    const seen = new Set();
    for (const one of pipeline.timeline.visits) {
      stageOf.set(one.visit, one.stage);
      if (!seen.has(one.stage)) firsts.add(one.visit);
      seen.add(one.stage);
    }
    const makespan = Math.max(0, ...pipeline.timeline.visits.map((one) => one.end_seconds));
    const width = Math.max(WIDTH_MIN, Math.min(WIDTH_MAX, available));
    return { ...pipeline, stageOf, firsts, makespan, width };
  }

  function shown(given, available) {
    const pipeline = known(given, available);
    const own = (name) => (name === pipeline.pipeline ? `${name} *` : name);
    return element('section', { className: 'pipeline' },
      element('h2', { textContent: `Pipeline of line ${pipeline.line}: ${pipeline.microbatches} microbatches on ${pipeline.stages.length} stages by ${pipeline.pipeline}` }),
      element('p', { textContent: 'Who works when, by the machine model. A number is a microbatch; strong colours are a stage\'s first visits, pale ones the others; thin bars are what is on its way from a stage, grey is waiting.' }),
      element('div', { className: 'wide', tabIndex: 0 }, picture(pipeline)),
      element('div', { className: 'wide', tabIndex: 0 }, table(['stage', 'mesh', 'forward', 'backward', 'rest', 'border', 'in flight', 'peak'],
        pipeline.stages.map((one, i) => [i, one.mesh || 'one device', seconds(one.forward_seconds), seconds(one.backward_seconds),
          seconds(one.rest_seconds), seconds(one.border_seconds), one.in_flight, bytes(one.peak_bytes)]))),
      element('div', { className: 'wide', tabIndex: 0 }, table(['schedule', 'in flight', 'period', 'makespan', 'bubble'],
        pipeline.schedules.map((one) => [own(one.name), one.in_flight.join(' '), seconds(one.period_seconds), seconds(one.makespan_seconds),
          `${(one.bubble * 100).toFixed(1)}%`]))));
  }

  return { shown };
})();
