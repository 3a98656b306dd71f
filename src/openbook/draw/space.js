
(() => {
  const svg = document.currentScript.previousElementSibling, scene = svg.querySelector(".scene");
  let turn = TURN, tilt = TILT, from = null;
  const shown = ([x, y, z]) => {
    const deep = y * Math.cos(turn) - x * Math.sin(turn);
    return [x * Math.cos(turn) + y * Math.sin(turn), z * Math.cos(tilt) + deep * Math.sin(tilt),
            deep * Math.cos(tilt) - z * Math.sin(tilt)];
  };
  const place = (mark, name) => shown(mark.dataset[name].split(" ").map(Number));
  const draw = () => {
    for (const mark of scene.querySelectorAll("line")) {
      const [a, b] = [place(mark, "from"), place(mark, "to")];
      mark.setAttribute("x1", SIZE * a[0]); mark.setAttribute("y1", -SIZE * a[1]);
      mark.setAttribute("x2", SIZE * b[0]); mark.setAttribute("y2", -SIZE * b[1]);
    }
    for (const mark of scene.querySelectorAll("text")) {
      const at = place(mark, "at");
      mark.setAttribute("x", SIZE * at[0]); mark.setAttribute("y", -SIZE * at[1]);
    }
    const dots = [...scene.querySelectorAll("circle")].map(mark => [place(mark, "at"), mark]);
    for (const [at, mark] of dots.sort((a, b) => b[0][2] - a[0][2])) {
      mark.setAttribute("cx", SIZE * at[0]); mark.setAttribute("cy", -SIZE * at[1]);
      scene.append(mark);
    }
  };
  const move = (right, down) => { turn -= right; tilt = Math.max(-1.5, Math.min(1.5, tilt + down)); draw(); };
  svg.style.touchAction = "none"; svg.style.cursor = "grab"; svg.setAttribute("tabindex", "0");
  svg.addEventListener("pointerdown", e => {
    from = [e.clientX, e.clientY];
    svg.setPointerCapture(e.pointerId);
  });
  svg.addEventListener("pointerup", () => { from = null; });
  svg.addEventListener("pointermove", e => {
    if (!from) return;
    move((e.clientX - from[0]) / 150, (e.clientY - from[1]) / 150);
    from = [e.clientX, e.clientY];
  });
  svg.addEventListener("keydown", e => {
    const way = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[e.key];
    if (way) { e.preventDefault(); move(way[0] / 10, way[1] / 10); }
  });
})();
