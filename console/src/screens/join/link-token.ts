/** The part after `#token=`; empty if the link was cut off. A fragment reaches no server log. */
export const linkToken = (hash: string): string =>
  new URLSearchParams(hash.replace(/^#/, '')).get('token') ?? ''
