import { hash } from 'node:crypto'

/**
 * How API keys, session tokens and set-up tokens are stored. With at least 190 random bits each,
 * they need no salt and no slow hash.
 */
export const hashToken = (token: string): string => hash('sha256', token, 'base64url')
