// What an approval is about, as HTML without scripts.
import { isRecord } from '#core/record.ts'
import { escapeHtml as e } from '../pages/page.ts'

/** More than anybody reads on such a page. */
const maxChars = 20_000
const maxItems = 50

/** `baseUrl`: media of this server are shown, addresses of others only written. */
export function subjectHtml(value: unknown, baseUrl: string): string {
  if (value === null) return '<p class="subject">Empty</p>'
  if (Array.isArray(value) && value.some((item) => mediaPath(item, baseUrl) !== null)) {
    return value
      .slice(0, maxItems)
      .map((item) => subjectHtml(item, baseUrl))
      .join('\n')
  }
  const path = mediaPath(value, baseUrl)
  if (path !== null) return mediaHtml(path, String((value as { mimeType: unknown }).mimeType))
  if (typeof value === 'string') return `<p class="subject">${e(cut(value))}</p>`
  return `<pre class="subject">${e(cut(JSON.stringify(value, null, 2)))}</pre>`
}

const cut = (text: string): string =>
  text.length > maxChars ? `${text.slice(0, maxChars)}…` : text

/** Without the host, because the page may have been opened under another name of this server. */
function mediaPath(value: unknown, baseUrl: string): string | null {
  if (!isRecord(value) || typeof value.url !== 'string' || typeof value.mimeType !== 'string') {
    return null
  }
  return value.url.startsWith(`${baseUrl}/media/`) ? value.url.slice(baseUrl.length) : null
}

const mediaHtml = (path: string, mimeType: string): string =>
  mimeType.startsWith('video/')
    ? `<video class="subject" controls preload="metadata" src="${e(path)}"></video>`
    : `<img class="subject" src="${e(path)}" alt="The picture to decide about">`
