import { test } from 'node:test'
import { rounds } from '../support/rounds.ts'
import { explore } from './explore.ts'

test('whatever befalls one process alone, nothing is lost, paid twice or left unfinished', () =>
  explore({ first: 1, step: 2, count: rounds(10_000) }))
