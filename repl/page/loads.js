// Draws how unequal devices share a program: the cuts of mesh axes by weights, and how long each device computes and
// waits. The data are those of page_data.hpp, `estimate`: its `shares` and `loads`.
'use strict';
const LoadsView = (() => {
  const { bytes, seconds, element, svg } = Stage;
  const LABEL = 90;  // to the left of a bar
  const ROW = 26;

  const percent = (part) => `${(100 * part).toFixed(part > 0 && part < 0.1 ? 1 : 0)}%`;
  const drawing = (width, height, label) => svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label });

  // An axis from its first position to its last, each as long as its weight.
  function cutBar({ axis, cut, weights }, y, room) {
    const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
    let at = LABEL;
    return weights.flatMap((weight, position) => {
      const width = room * (weight / total);
      const bar = svg('rect', { x: at, y: y + 4, width: Math.max(0, width - 1), height: ROW - 8, class: 'computing' });
      bar.append(svg('title', {}, `${axis}.${cut}, position ${position}: weight ${weight}, ${percent(weight / total)}`));
      const text = percent(weight / total);
      const middle = at + width / 2;
      at += width;
      if (width < 9 * text.length) return [bar];
      return [bar, svg('text', { x: middle, y: y + 17, 'text-anchor': 'middle' }, text)];
    });
  }
  function shares(all, width) {
    const root = drawing(width, ROW * all.length + 4, 'Shares of each cut');
    all.forEach((one, i) => root.append(svg('text', { x: 0, y: ROW * i + 17 }, `${one.axis}.${one.cut}`),
      ...cutBar(one, ROW * i, width - LABEL)));
    return root;
  }

  const loadText = (one, total) => {
    const waits = total > 0 ? 1 - one.compute_seconds / total : 0;
    const memory = one.memory_bytes > 0 ? ` of ${bytes(one.memory_bytes)}` : '';
    return `${seconds(one.compute_seconds)}, waits ${percent(Math.max(0, waits))}; ${bytes(one.peak_bytes)}${memory}`;
  };
  // The track of a bar is as long as somebody computes: what a device leaves of it, it waits.
  function loads(all, total, width) {
    const room = Math.max(60, width - LABEL - 290);
    const root = drawing(width, ROW * all.length + 4, 'Load of each device');
    all.forEach((one, i) => {
      const y = ROW * i;
      const own = total > 0 ? Math.min(1, one.compute_seconds / total) : 0;
      const bar = svg('rect', { x: LABEL, y: y + 4, width: Math.max(0.5, room * own), height: ROW - 8, class: 'computing' });
      bar.append(svg('title', {}, `device ${one.device}: ${loadText(one, total)}`));
      root.append(svg('text', { x: 0, y: y + 17 }, `device ${one.device}`),
        svg('rect', { x: LABEL, y: y + 4, width: room, height: ROW - 8, class: 'waiting' }), bar,
        svg('text', { x: LABEL + room + 8, y: y + 17, class: 'load' }, loadText(one, total)));
    });
    return root;
  }

  const figure = (title, about, drawn) => [element('h2', { textContent: title }), element('p', { textContent: about }),
    element('div', { className: 'wide', tabIndex: 0 }, drawn)];

  function shown(data, width) {
    if (!data.loads || data.loads.length === 0) return [];
    const cuts = data.shares.length === 0 ? [] :
      figure('Shares', 'The cuts of mesh axes by weights: what each position has of an array that is cut so.', shares(data.shares, width));
    return [...cuts, ...figure('Load of each device',
      'How long a device computes by the machine model, and the most memory that it needs at once. While others still compute, it waits.',
      loads(data.loads, data.seconds - data.move_seconds, width))];
  }

  return { shown };
})();
