/** Of a stored credential; apart from its secret, so that a browser may import it. */
export const credentialNamePattern = '^[a-z0-9-]{1,64}$'
