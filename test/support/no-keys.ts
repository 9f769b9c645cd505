/** Of an engine whose accounts have no keys of providers. */
export const noKeys = {
  use: () => Promise.reject(new Error('no key of an account is used here')),
}
