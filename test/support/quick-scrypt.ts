// Deriving a key from a password takes half a second of processor time, on purpose. Tests sign up
// hundreds of people, so a process that imports this file derives keys at a fraction of that cost.
// The real cost and its limits are tested in test/unit/auth/passwords.test.ts.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { scrypt } = crypto

crypto.scrypt = ((password, salt, length, options, callback) =>
  scrypt(password, salt, length, { ...options, N: 16 }, callback)) as typeof scrypt
syncBuiltinESMExports()
