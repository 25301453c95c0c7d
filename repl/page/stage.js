// How devices and their tiles are drawn, and the words for them. Knows nothing of which change or step is shown.
'use strict';
const Stage = (() => {
  const CARD = { least: 148, most: 240, head: 34, foot: 52, gap: 20, pad: 8 };

  // ---- Text ----

  const count = (n) => n.toLocaleString('en-US');
  function bytes(n) {
    for (const [unit, size] of [['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 1024]]) {
      if (n >= size) return `${+(n / size).toPrecision(4)} ${unit}`;
    }
    return `${count(n)} B`;
  }
  const isEmpty = (box) => box.some(([begin, end]) => begin >= end);
  function boxText(box) {
    if (box.length === 0) return 'the scalar';
    return isEmpty(box) ? 'nothing' : `[${box.map((side) => side.join(':')).join(', ')}]`;
  }
  const stepText = (step) => (step.detail ? `${step.op} ${step.detail}` : step.op);
  function partText(moment, device) {
    if (moment.contributions === 1) return '';
    return `part ${device.contribution + 1} of ${moment.contributions}`;
  }
  function seconds(s) {
    for (const [unit, size] of [['s', 1], ['ms', 1e-3], ['us', 1e-6]]) {
      if (+s.toPrecision(4) >= size) return `${+(s / size).toPrecision(4)} ${unit}`;
    }
    return s === 0 ? '0 s' : `${+(s * 1e9).toPrecision(4)} ns`;
  }

  // ---- Elements ----

  function element(name, properties = {}, ...children) {
    const made = document.createElement(name);
    Object.assign(made, properties);
    made.append(...children);
    return made;
  }
  function svg(name, attributes = {}, text) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }
  // A line of small text cut to so many pixels; all of it is in the card's label and in the table.
  function fitted(text, width) {
    const most = Math.floor(width / 6.4);
    return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
  }
  const hue = (device) => `--hue:${Math.round((device * 137.508) % 360)}`;

  // ---- Where things stand ----

  // The panels of a card: an array of more than two dimensions is unfolded into one panel for each piece of its outer
  // dimensions; where that would be too many, each dimension is a bar of its own.
  function outerPieces(one) {
    const outer = Math.max(0, one.shape.length - 2);
    const cuts = Array.from({ length: outer }, (_, d) => new Set([0, one.shape[d]]));
    for (const moment of one.moments) {
      for (const device of moment.devices) {
        for (let d = 0; d < outer; ++d) for (const at of device.box[d]) cuts[d].add(at);
      }
    }
    let pieces = [[]];
    for (const set of cuts) {
      const sorted = [...set].sort((a, b) => a - b);
      const sides = sorted.slice(1).map((end, i) => [sorted[i], end]);
      pieces = pieces.flatMap((piece) => sides.map((side) => [...piece, side]));
    }
    return pieces;
  }

  function sidesOf(one) {
    const rank = one.shape.length;
    return { rows: rank >= 2 ? one.shape[rank - 2] : 1, columns: rank >= 1 ? one.shape[rank - 1] : 1 };
  }

  const artHeight = (one) => (one.shape.length < 2 ? 32 : 84);

  // Says how boxes are drawn in a card's picture of `width` x artHeight.
  function geometry(one, width) {
    const pieces = outerPieces(one);
    const rank = one.shape.length;
    const art = artHeight(one);
    if (pieces.length > 4) return barGeometry(one, width);
    const { rows, columns } = sidesOf(one);
    const gap = 4;
    const across = (width - gap * (pieces.length - 1)) / pieces.length;
    const scale = Math.min(across / Math.max(columns, 1), art / Math.max(rows, 1));
    // Long and narrow arrays are shown less so; within a dimension all is to scale.
    const w = Math.max(scale * columns, across * 0.45);
    const h = rank < 2 ? 20 : Math.max(scale * rows, art * 0.3);
    const panels = pieces.map((piece, i) => ({ piece, x: i * (w + gap), y: (art - h) / 2, w, h }));
    const inside = (piece, box) => piece.every(([begin, end], d) => box[d][0] <= begin && end <= box[d][1]);
    return {
      wholes: panels,
      rects(box) {
        if (isEmpty(box)) return [];
        const [top, bottom] = rank >= 2 ? box[rank - 2] : [0, 1];
        const [left, right] = rank >= 1 ? box[rank - 1] : [0, 1];
        return panels.filter(({ piece }) => inside(piece, box)).map((p) => ({
          x: p.x + (left / columns) * p.w,
          y: p.y + (top / rows) * p.h,
          w: ((right - left) / columns) * p.w,
          h: ((bottom - top) / rows) * p.h,
        }));
      },
    };
  }

  function barGeometry(one, width) {
    const rank = one.shape.length;
    const pitch = artHeight(one) / rank;
    const bar = Math.min(16, pitch * 0.75);
    const at = (d) => d * pitch + (pitch - bar) / 2;
    return {
      isBars: true,
      wholes: one.shape.map((_, d) => ({ x: 0, y: at(d), w: width, h: bar })),
      rects(box) {
        if (isEmpty(box)) return [];
        return box.map(([begin, end], d) => ({
          x: (begin / one.shape[d]) * width, y: at(d), w: ((end - begin) / one.shape[d]) * width, h: bar,
        }));
      },
    };
  }

  function howPlaced(one, { asMesh }) {
    if (!isOnOneMesh(one)) return 'Drawn are the devices of both meshes; an empty card is a device that is not of the mesh that the array is on.';
    if (!asMesh) return '';
    const names = (axes) => axes.map((axis) => axis.name).join(', ');
    return `The devices stand as in the mesh: down is ${names(asMesh.rows)}, across ${names(asMesh.across)}.`;
  }

  // How to read a picture, for people; nothing where there is nothing to be said.
  function howDrawn(one, shape) {
    const rank = one.shape.length;
    if (shape.isBars) return 'A picture has a bar for each dimension, filled where the device\'s tile is.';
    if (rank < 2) return '';
    const sides = `down is dimension ${rank - 2}, across dimension ${rank - 1}`;
    const pieces = shape.wholes.map(({ piece }) => piece.map((side) => side.join(':')).join(', '));
    if (pieces.length < 2) return `In a picture, ${sides}.`;
    const outer = rank === 3 ? 'dimension 0' : `dimensions 0 to ${rank - 3}`;
    return `A picture has a panel for each piece of ${outer}, from left to right ${pieces.join('; ')}. In each, ${sides}.`;
  }

  // The devices of the run that get a card: those of every moment's mesh, by number.
  function cardNumbers(one) {
    const numbers = new Set(one.moments.flatMap((moment) => moment.devices.map((device) => device.number)));
    return [...numbers].sort((a, b) => a - b);
  }
  function isOnOneMesh(one) {
    const meshes = one.moments.map((moment) => `${moment.mesh} on ${moment.devices.map((device) => device.number)}`);
    return new Set(meshes).size === 1;
  }
  const holdingOf = (moment, number) => moment.devices.find((device) => device.number === number);

  // How many devices stand in a row if they are placed as the mesh: rows are its first axes, and as many of the last ones
  // as fit are a row. Nothing where a row would not fit, where only some devices are drawn, or where there are two meshes.
  function meshColumns(one, fit) {
    const axes = one.mesh.filter((axis) => axis.size > 1);
    const product = (some) => some.reduce((n, axis) => n * axis.size, 1);
    if (axes.length < 2 || !isOnOneMesh(one) || product(axes) !== one.moments[0].devices.length) return undefined;
    const first = axes.findIndex((_, i) => i > 0 && product(axes.slice(i)) <= fit);
    return first < 0 ? undefined : { columns: product(axes.slice(first)), rows: axes.slice(0, first), across: axes.slice(first) };
  }

  // Without such rows: as many cards in a row as fit; fewer, but more than half of them, where the rows are full then.
  function fullRows(devices, fit) {
    const columns = Math.min(fit, Math.max(devices, 2));
    for (let fewer = columns; fewer > columns / 2; --fewer) if (devices % fewer === 0) return fewer;
    return columns;
  }

  function grid(one, width) {
    const numbers = cardNumbers(one);
    const fit = Math.max(2, Math.floor((width + CARD.gap) / (CARD.least + CARD.gap)));
    const asMesh = meshColumns(one, fit);
    const columns = asMesh ? asMesh.columns : fullRows(numbers.length, fit);
    const card = Math.min(CARD.most, (width - CARD.gap * (columns - 1)) / columns);
    const height = CARD.head + artHeight(one) + CARD.foot + 2 * CARD.pad;
    const places = new Map(numbers.map((number, i) => [number, {
      x: (i % columns) * (card + CARD.gap), y: Math.floor(i / columns) * (height + CARD.gap),
    }]));
    const rows = Math.ceil(numbers.length / columns);
    return { width, card, height, places, asMesh, total: rows * (height + CARD.gap) - CARD.gap };
  }

  // ---- The devices ----

  function rectangle(r, name, extra = {}) {
    return svg('rect', { x: r.x, y: r.y, width: Math.max(r.w, 0.5), height: Math.max(r.h, 0.5), class: name, ...extra });
  }

  function drawTile(into, moment, device, shape) {
    for (const r of shape.rects(device.box)) {
      into.append(rectangle(r, 'tile', { style: hue(device.number) }));
      if (moment.contributions > 1) into.append(rectangle(r, 'part'));
    }
  }

  // The memory bar: what is held, what a step under way adds, and the bound.
  function drawMemory(into, one, device, coming, width) {
    const most = Math.max(one.bound_bytes, one.peak_bytes, one.local_bytes_max, 1);
    const scale = (n) => (n / most) * width;
    into.append(rectangle({ x: 0, y: 0, w: width, h: 10 }, 'track'));
    into.append(rectangle({ x: 0, y: 0, w: scale(device.bytes), h: 10 }, 'held', { style: hue(device.number) }));
    if (coming > 0) {
      into.append(rectangle({ x: scale(device.bytes), y: 0, w: scale(coming), h: 10 }, 'coming', { style: hue(device.number) }));
    }
    into.append(svg('line', { x1: scale(one.bound_bytes), x2: scale(one.bound_bytes), y1: -2, y2: 12, class: 'bound' }));
  }

  // The card of a device that is not of the mesh that the array is on: only its memory bar may show something, what comes.
  function drawEmptyCard(one, number, place, cards, coming) {
    const group = svg('g', { transform: `translate(${place.x} ${place.y})`, role: 'img', 'data-device': number });
    group.setAttribute('aria-label', `device ${number}: not of this mesh`);
    group.append(rectangle({ x: 0.5, y: 0.5, w: cards.card - 1, h: cards.height - 1 }, 'card', { rx: 6 }));
    group.append(svg('text', { x: CARD.pad, y: CARD.pad + 11 }, `device ${number}`));
    group.append(svg('text', { x: CARD.pad, y: CARD.pad + 25, class: 'quiet' }, 'not of this mesh'));
    const below = CARD.pad + CARD.head + artHeight(one);
    const memory = svg('g', { transform: `translate(${CARD.pad} ${below + 39})` });
    drawMemory(memory, one, { number, bytes: 0 }, coming, cards.card - 2 * CARD.pad);
    group.append(memory);
    return group;
  }

  function drawCard(one, moment, device, place, cards, shape, coming) {
    const group = svg('g', { transform: `translate(${place.x} ${place.y})`, role: 'img', 'data-device': device.number });
    const part = partText(moment, device);
    const received = device.received_bytes > 0 ? `, received ${bytes(device.received_bytes)}` : '';
    group.setAttribute('aria-label', `${device.name}: ${boxText(device.box)}, ${bytes(device.bytes)}${part ? `, ${part}` : ''}${received}`);
    const inner = cards.card - 2 * CARD.pad;
    group.append(rectangle({ x: 0.5, y: 0.5, w: cards.card - 1, h: cards.height - 1 }, 'card', { rx: 6 }));
    const coordinates = device.name.slice(device.name.indexOf('(') + 1, -1);
    group.append(svg('text', { x: CARD.pad, y: CARD.pad + 11 }, `device ${device.number}`));
    if (device.name.includes('(')) group.append(svg('text', { x: CARD.pad, y: CARD.pad + 25, class: 'quiet' }, fitted(coordinates, inner)));
    const picture = svg('g', { transform: `translate(${CARD.pad} ${CARD.pad + CARD.head})`, class: 'picture' });
    for (const whole of shape.wholes) picture.append(rectangle(whole, 'whole'));
    drawTile(picture, moment, device, shape);
    group.append(picture);
    const below = CARD.pad + CARD.head + artHeight(one);
    const numbers = [bytes(device.bytes), received.replace(', received ', '+'), part].filter(Boolean).join(', ');
    group.append(svg('text', { x: CARD.pad, y: below + 15, class: 'quiet' }, fitted(boxText(device.box), inner)));
    group.append(svg('text', { x: CARD.pad, y: below + 31, class: 'quiet' }, fitted(numbers, inner)));
    const memory = svg('g', { transform: `translate(${CARD.pad} ${below + 39})` });
    drawMemory(memory, one, device, coming, inner);
    group.append(memory);
    return group;
  }

  function definitionsOf() {
    const pattern = svg('pattern', { id: 'hatch', width: 8, height: 8, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' });
    pattern.append(svg('line', { x1: 0, x2: 0, y1: 0, y2: 8, class: 'hatch-line' }));
    const definitions = svg('defs');
    const arrow = svg('marker', { id: 'arrow', viewBox: '0 0 8 8', refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: 'userSpaceOnUse', orient: 'auto' });
    arrow.append(svg('path', { d: 'M0 0 L8 4 L0 8 z', class: 'arrow' }));
    definitions.append(pattern, arrow);
    return definitions;
  }

  // The labels of all cards, in front of what travels between the cards. The cards have them in words as well.
  function labelsInFront(root) {
    const front = svg('g', { class: 'labels', 'aria-hidden': 'true' });
    for (const card of root.querySelectorAll('[data-device]')) {
      const labels = svg('g', { transform: card.getAttribute('transform') });
      labels.append(...card.querySelectorAll('text'));
      front.append(labels);
    }
    return front;
  }

  // A moment that has a shape of its own is drawn with it.
  const asThen = (one, moment) => (moment.shape ? { ...one, shape: moment.shape, moments: [moment] } : one);

  // Draws a moment into an element; `next` is the moment that a step under way leads to.
  function draw(where, change, moment, next, width = where.clientWidth) {
    const one = asThen(change, moment);
    const cards = grid(one, Math.max(280, width));
    const shape = geometry(one, cards.card - 2 * CARD.pad);
    const root = svg('svg', { viewBox: `0 0 ${cards.width} ${Math.max(cards.total, 1)}`, role: 'group', 'aria-label': `Devices: ${moment.type}` });
    root.append(definitionsOf());
    for (const [number, place] of cards.places) {
      const device = holdingOf(moment, number);
      const coming = (next && holdingOf(next, number)?.bytes) ?? 0;
      root.append(device ? drawCard(one, moment, device, place, cards, shape, coming) : drawEmptyCard(one, number, place, cards, coming));
    }
    const front = labelsInFront(root);
    root.append(front);
    where.replaceChildren(root);
    return { root, front, cards, shape };
  }

  // The point on a card's edge where a line from its middle leaves it.
  function atEdge(middle, towards, cards) {
    const across = Math.abs(towards.x - middle.x) / (cards.card / 2);
    const down = Math.abs(towards.y - middle.y) / (cards.height / 2);
    const most = Math.max(across, down, 1);
    return { x: middle.x + (towards.x - middle.x) / most, y: middle.y + (towards.y - middle.y) / most };
  }

  // A line for each pair of devices of which one sends to the other in a step, from card to card. It is bent to its left,
  // so that the way back, and links that go further in the same direction, are lines of their own.
  function drawLinks(step, drawn) {
    const { cards } = drawn;
    const middle = (number) => {
      const { x, y } = cards.places.get(number);
      return { x: x + cards.card / 2, y: y + cards.height / 2 };
    };
    const pairs = new Map(step.moves.map((move) => [`${move.source},${move.target}`, move]));
    for (const { source, target } of pairs.values()) {
      const [from, to] = [middle(source), middle(target)];
      const bend = { x: (from.x + to.x) / 2 + (to.y - from.y) / 4, y: (from.y + to.y) / 2 - (to.x - from.x) / 4 };
      const [begin, end] = [atEdge(from, bend, cards), atEdge(to, bend, cards)];
      const path = `M${begin.x} ${begin.y} Q${bend.x} ${bend.y} ${end.x} ${end.y}`;
      drawn.root.insertBefore(svg('path', { d: path, class: 'link', 'marker-end': 'url(#arrow)', style: hue(source) }), drawn.front);
    }
  }

  // The boxes that travel in a step, from card to card.
  function flights(step, drawn) {
    const made = [];
    drawLinks(step, drawn);
    const slots = Math.max(1, step.hops + step.stretches - 1);
    for (const move of step.moves) {
      if (move.source === move.target) continue;
      const from = drawn.cards.places.get(move.source);
      const to = drawn.cards.places.get(move.target);
      for (const r of drawn.shape.rects(move.box)) {
        const node = rectangle(r, 'tile flying', { style: hue(move.source) });
        drawn.root.insertBefore(node, drawn.front);
        // Of a relay the first stretches are passed on while the next ones are still to come.
        made.push({ node, from, to, begin: move.hop / slots, end: (move.hop + Math.max(1, step.stretches)) / slots });
      }
    }
    return made;
  }

  return { bytes, count, seconds, boxText, partText, stepText, element, svg, howDrawn, howPlaced, draw, flights, inset: { x: CARD.pad, y: CARD.pad + CARD.head } };
})();
