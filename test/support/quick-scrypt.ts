// Deriving a key from a password takes half a second of processor time, on purpose. Tests sign up
// hundreds of people: theirs are derived at a fraction of that cost, in the process that imports
// this. What the real cost protects against is tested in test/unit/auth/passwords.test.ts.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { scrypt } = crypto

crypto.scrypt = ((password, salt, length, options, callback) =>
  scrypt(password, salt, length, { ...options, N: 16 }, callback)) as typeof scrypt
syncBuiltinESMExports()
