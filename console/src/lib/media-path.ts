/**
 * A media address for display: without its host, because the page may have been opened under a
 * different name of this server than BASE_URL. Addresses are sent back to the server unchanged.
 */
export function mediaPath(url: string): string {
  const parsed = URL.parse(url)
  return parsed?.pathname.startsWith('/media/') ? parsed.pathname + parsed.search : url
}
