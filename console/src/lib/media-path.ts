/**
 * A media address for showing here: without its host, because the page may be open under another
 * name of this server than BASE_URL. What is sent back to the server stays as it came.
 */
export function mediaPath(url: string): string {
  const parsed = URL.parse(url)
  return parsed?.pathname.startsWith('/media/') ? parsed.pathname + parsed.search : url
}
