import { readFileSync } from 'node:fs'
import { type Page, page } from './page.ts'

const script = readFileSync(new URL('./setup-page.js', import.meta.url), 'utf8')

/** The page behind the one-time link, where the owner chooses an e-mail and a password. */
export const setupPage = (): Page =>
  page({
    title: 'Set up Atelier',
    script,
    body: `<main class="narrow">
<h1><img src="/favicon.svg" alt="" width="32" height="32">Set up Atelier</h1>
<p class="lead">Choose how you sign in to this server. The link works once.</p>
<form id="setup" novalidate>
<label>E-mail <input name="email" type="email" autocomplete="username" required></label>
<label>Password, at least 12 characters <input name="password" type="password" autocomplete="new-password" minlength="12" maxlength="128" required></label>
<button>Set password</button>
<button type="button" class="quiet" id="organisation" hidden>Continue with your organisation</button>
<p class="note" role="status" id="note"></p>
</form>
</main>`,
  })
