// Runs before the first paint, as a file of its own because the policy allows no inline script.
// Without a stored choice the page follows the system.
try {
  const theme = localStorage.getItem('atelier:theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage may be forbidden; the system's theme is a fine answer then.
}
