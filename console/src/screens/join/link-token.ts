/** What follows `#token=`; empty if somebody cut the link. The fragment reaches no server log. */
export const linkToken = (hash: string): string =>
  new URLSearchParams(hash.replace(/^#/, '')).get('token') ?? ''
