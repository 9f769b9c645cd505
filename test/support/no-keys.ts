/** For an engine whose accounts have no provider keys. */
export const noKeys = {
  use: () => Promise.reject(new Error('no key of an account is used here')),
}
