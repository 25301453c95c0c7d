// Draws what a program would take: bars beside its lines, a roofline of its steps, a timeline of one turn, and how it
// scales. The data are those of page_data.hpp, `estimate`.
'use strict';
const EstimateView = (() => {
  const { bytes, seconds, element, svg } = Stage;
  const WIDTH_MIN = 320, WIDTH_MAX = 900;
  const LEFT = 84, RIGHT = 12, TOP = 12, BOTTOM = 34;

  const percent = (share) => `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`;
  const operations = (count) => {
    const prefixes = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
    let k = 0;
    while (count >= 1000 && k + 1 < prefixes.length) { count /= 1000; k += 1; }
    return `${Number(count.toPrecision(4))} ${prefixes[k]}flop`;
  };
  const powers = (low, high) => {
    const all = [];
    for (let k = Math.ceil(Math.log10(low)); k <= Math.floor(Math.log10(high)); k += 1) all.push(10 ** k);
    return all.length > 8 ? all.filter((_, i) => i % Math.ceil(all.length / 8) === 0) : all;
  };

  // Logarithmic both ways.
  function plane(width, height, xs, ys, label) {
    const grow = (values) => [Math.min(...values) / 1.5, Math.max(...values) * 1.5];
    const [x0, x1] = grow(xs);
    const [y0, y1] = grow(ys);
    const x = (value) => LEFT + (width - LEFT - RIGHT) * (Math.log(value / x0) / Math.log(x1 / x0));
    const y = (value) => height - BOTTOM - (height - TOP - BOTTOM) * (Math.log(value / y0) / Math.log(y1 / y0));
    const root = svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label });
    return { root, x, y, x0, x1, y0, y1 };
  }

  function axes(area, width, height, xText, yText, xName) {
    for (const value of powers(area.x0, area.x1)) {
      area.root.append(svg('line', { x1: area.x(value), x2: area.x(value), y1: TOP, y2: height - BOTTOM, class: 'grid' }),
        svg('text', { x: area.x(value), y: height - BOTTOM + 15, 'text-anchor': 'middle' }, xText(value)));
    }
    for (const value of powers(area.y0, area.y1)) {
      area.root.append(svg('line', { x1: LEFT, x2: width - RIGHT, y1: area.y(value), y2: area.y(value), class: 'grid' }),
        svg('text', { x: LEFT - 6, y: area.y(value) + 4, 'text-anchor': 'end' }, yText(value)));
    }
    area.root.append(svg('text', { x: (LEFT + width) / 2, y: height - 3, 'text-anchor': 'middle', class: 'quiet' }, xName));
  }

  // Every step by what it computes for each byte of memory, and how fast the machine lets it.
  function roofline(data, width) {
    const steps = data.steps.filter((one) => one.operations > 0 && one.memory_bytes > 0 && one.seconds > 0);
    if (steps.length === 0) return null;
    const height = 280;
    const points = steps.map((one) => ({ one, x: one.operations / one.memory_bytes, y: one.operations / one.seconds }));
    const ridge = data.flops_per_second / data.memory_bytes_per_second;
    const xs = [...points.map((p) => p.x), ridge];
    const area = plane(width, height, xs, [...points.map((p) => p.y), data.flops_per_second], 'Roofline of all steps');
    axes(area, width, height, (v) => String(Number(v.toPrecision(2))), (v) => `${operations(v)}/s`, 'operations for each byte of memory');
    const roof = (x) => Math.min(data.flops_per_second, x * data.memory_bytes_per_second);
    const path = [area.x0, Math.min(Math.max(ridge, area.x0), area.x1), area.x1]
      .map((x) => `${area.x(x)},${Math.min(area.y(Math.max(roof(x), area.y0)), height - BOTTOM)}`).join(' ');
    area.root.append(svg('polyline', { points: path, class: 'roof' }));
    for (const { one, x, y } of points) {
      const dot = svg('circle', { cx: area.x(x), cy: area.y(y), r: 5, class: x < ridge ? 'by-memory' : 'by-products' });
      dot.append(svg('title', {}, `line ${one.line}: ${one.name}, ${operations(y)}/s, ${x < ridge ? 'bound by memory' : 'bound by products'}`));
      area.root.append(dot);
    }
    return area.root;
  }

  // One turn, step after step: what computes, and what moves.
  function timeline(data, width) {
    const steps = data.steps.filter((one) => one.seconds > 0);
    const total = steps.reduce((sum, one) => sum + one.seconds, 0);
    if (total === 0) return null;
    const height = 92;
    const root = svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'Timeline of one turn' });
    const room = width - LEFT - RIGHT;
    root.append(svg('text', { x: 0, y: 38 }, 'computing'), svg('text', { x: 0, y: 68 }, 'moving'),
      svg('text', { x: LEFT, y: 13 }, '0 s'), svg('text', { x: width - RIGHT, y: 13, 'text-anchor': 'end' }, seconds(total)));
    for (const y of [22, 52]) root.append(svg('rect', { x: LEFT, y, width: room, height: 24, class: 'waiting' }));
    let at = 0;
    for (const one of steps) {
      const bar = svg('rect', { x: LEFT + room * (at / total), y: one.moves ? 52 : 22, width: Math.max(0.5, room * (one.seconds / total)),
        height: 24, class: one.moves ? 'moving' : 'computing' });
      bar.append(svg('title', {}, `line ${one.line}: ${one.name}, ${seconds(one.seconds)}${one.times > 1 ? `, ${one.times} times` : ''}`));
      root.append(bar);
      at += one.seconds;
    }
    return root;
  }

  function bars(data, lines, width) {
    const most = Math.max(...data.statements.map((one) => one.seconds));
    const row = 26, room = Math.max(60, width - 390);
    const height = row * data.statements.length + 4;
    const root = svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'Seconds of each statement' });
    data.statements.forEach((one, i) => {
      const y = row * i;
      const text = (lines[one.line - 1] || '').trim();
      const computing = room * ((one.seconds - one.move_seconds) / most);
      root.append(svg('text', { x: 24, y: y + 17, 'text-anchor': 'end', class: 'quiet' }, String(one.line)),
        svg('text', { x: 32, y: y + 17 }, text.length > 24 ? `${text.slice(0, 23)}…` : text),
        svg('rect', { x: 215, y: y + 4, width: Math.max(0.5, computing), height: row - 8, class: 'computing' }),
        svg('rect', { x: 215 + computing, y: y + 4, width: room * (one.move_seconds / most), height: row - 8, class: 'moving' }),
        svg('text', { x: 222 + room * (one.seconds / most), y: y + 17 }, `${seconds(one.seconds)}, ${percent(one.speed_share)} of flops`));
    });
    return root;
  }

  // Seconds of every point of a sweep, computing below and moving on top.
  function scaling(sweep, width) {
    const known = sweep.filter((one) => one.seconds > 0);
    if (known.length === 0) return null;
    const most = Math.max(...known.map((one) => one.seconds));
    const height = 240, room = height - 60, step = (width - LEFT - RIGHT) / known.length;
    const root = svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'How it scales' });
    known.forEach((one, i) => {
      const x = LEFT + step * (i + 0.15), wide = step * 0.7;
      const computing = room * ((one.seconds - one.move_seconds) / most);
      const moving = room * (one.move_seconds / most);
      root.append(svg('rect', { x, y: height - 36 - computing, width: wide, height: computing, class: 'computing' }),
        svg('rect', { x, y: height - 36 - computing - moving, width: wide, height: moving, class: 'moving' }),
        svg('text', { x: x + wide / 2, y: height - 41 - computing - moving, 'text-anchor': 'middle' }, seconds(one.seconds)),
        svg('text', { x: x + wide / 2, y: height - 20, 'text-anchor': 'middle' }, one.told.map(([, value]) => value).join(', ')));
    });
    root.append(svg('text', { x: width / 2, y: height - 3, 'text-anchor': 'middle', class: 'quiet' }, known[0].told.map(([name]) => name).join(', ')));
    return root;
  }

  const figure = (title, about, drawn) => (drawn === null ? [] :
    [element('h2', { textContent: title }), element('p', { textContent: about }), element('div', { className: 'wide', tabIndex: 0 }, drawn)]);

  function shown(data, lines, available) {
    const width = Math.max(WIDTH_MIN, Math.min(WIDTH_MAX, available));
    if (data.statements.length === 0) return element('section', { className: 'estimate' });
    const fits = data.device_memory_bytes === 0 ? '' : `; the device has ${bytes(data.device_memory_bytes)}`;
    const sweep = data.sweep && data.sweep.length > 1 ? figure('How it scales', 'Seconds by the machine model: computing below, moving on top.', scaling(data.sweep, width)) : [];
    return element('section', { className: 'estimate' },
      element('h2', { textContent: `Estimate: ${seconds(data.seconds)}, ${percent(data.speed_share)} of flops` }),
      element('p', { textContent: `By the machine model, on ${data.devices} device${data.devices === 1 ? '' : 's'}: ${seconds(data.seconds - data.move_seconds)} computing, ${seconds(data.move_seconds)} moving. Peak ${bytes(data.peak_bytes)} on device ${data.peak_device}${fits}.` }),
      element('p', { className: 'legend' }, element('span', { className: 'computing', textContent: 'computing' }), element('span', { className: 'moving', textContent: 'moving' })),
      ...sweep,
      ...figure('By statement', 'Every statement as often as it runs.', bars(data, lines, width)),
      ...LoadsView.shown(data, width),
      ...figure('Roofline', 'A dot is a step: left of the bend memory is what it waits for, right of it the products.', roofline(data, width)),
      ...figure('One turn', 'Steps in the order in which they are taken, those of loops once.', timeline(data, width)));
  }

  return { shown };
})();
