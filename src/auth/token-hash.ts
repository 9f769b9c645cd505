import { hash } from 'node:crypto'

/**
 * How API keys, tokens and recovery codes are stored. With at least 190 random bits each, or 80 in
 * recovery codes, they need no salt and no slow hash.
 */
export const hashToken = (token: string): string => hash('sha256', token, 'base64url')
