import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

export type Page = { html: string; contentSecurityPolicy: string }

const sheet = readFileSync(new URL('./page.css', import.meta.url), 'utf8')

export const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

/** A complete page. Its policy allows only this style sheet and this script, by their hashes. */
export function page(content: {
  title: string
  body: string
  script?: string
  /** The page reloads itself after this time. */
  refreshSeconds?: number
  /** The page shows videos of this server. */
  media?: true
  /** Where a form of the page may lead besides this server. */
  formAction?: string
}): Page {
  const script = content.script ?? ''
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
${content.refreshSeconds ? `<meta http-equiv="refresh" content="${content.refreshSeconds}">` : ''}
<title>${escapeHtml(content.title)}</title>
<style>${sheet}</style>
</head>
<body>
${content.body}
${script === '' ? '' : `<script>${script}</script>`}
</body>
</html>
`
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(sheet)}'`,
    script === '' ? "script-src 'none'" : `script-src '${hashOf(script)}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    ...(content.media ? ["media-src 'self'"] : []),
    "base-uri 'none'",
    `form-action 'self'${content.formAction ? ` ${content.formAction}` : ''}`,
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]
  return { html, contentSecurityPolicy: policy.join('; ') }
}

const hashOf = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`
