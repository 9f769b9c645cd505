import { hash } from 'node:crypto'

/** How keys, session tokens and set-up tokens are stored. They have 190 bits or more: no salt. */
export const hashToken = (token: string): string => hash('sha256', token, 'base64url')
