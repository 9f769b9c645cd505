/**
 * A media address for display: without its host, because the page may have been opened under a
 * different name of this server than BASE_URL. Addresses are sent back to the server unchanged.
 */
export function mediaPath(url: string): string {
  const parsed = URL.parse(url)
  return parsed?.pathname.startsWith('/media/') ? parsed.pathname + parsed.search : url
}

/** The same picture at most so wide. Pictures that are not on this server stay as they are. */
export function thumbnailPath(url: string, width: 208 | 416): string {
  const path = mediaPath(url)
  return path.startsWith('/media/') && path.includes('?') ? `${path}&w=${width}` : path
}
