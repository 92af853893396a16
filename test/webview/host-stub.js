// Stands in for VS Code in the stage's page: the theme's variables, `acquireVsCodeApi`, and a host that a test drives from outside.
(() => {
  const { theme, messages, state } = JSON.parse(document.getElementById('stage').textContent);
  document.body.className = theme.bodyClass;
  document.body.dataset.vscodeThemeKind = theme.kind;
  for (const [name, value] of Object.entries(theme.variables))
    document.documentElement.style.setProperty(name, value);

  const posted = [];
  const violations = [];
  document.addEventListener('securitypolicyviolation', (event) =>
    violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
  );
  let saved = state;
  const deliver = (message) => window.dispatchEvent(new MessageEvent('message', { data: message }));
  window.stage = { posted, violations, deliver, saved: () => saved };
  window.acquireVsCodeApi = () => ({
    postMessage(message) {
      posted.push(structuredClone(message));
      if (message.type === 'ready') for (const next of messages) deliver(next);
    },
    getState: () => saved,
    setState(next) {
      saved = structuredClone(next);
    },
  });
})();
