import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceName } from '#api/console/sign-in/device.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const cases: [string, string | null][] = [
  [`Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0`, 'Firefox on Linux'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/126.0 Safari/537.36`,
    'Chrome on Windows',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/126.0 Safari/537.36 Edg/126.0`,
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1 Version/17.5 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.5 Safari/605.1.15',
    'Safari on macOS',
  ],
  [
    `Mozilla/5.0 (Linux; Android 14) ${webkit} Chrome/126.0 Mobile Safari/537.36`,
    'Chrome on Android',
  ],
  ['curl/8.5.0', 'curl/8.5.0'],
  [`<script>${'x'.repeat(300)}`, `<script>${'x'.repeat(52)}`],
  ['', null],
]

for (const [sent, shown] of cases) {
  test(`a session of “${sent.slice(0, 40)}” is shown as ${shown}`, () => {
    assert.equal(deviceName(sent), shown)
  })
}
