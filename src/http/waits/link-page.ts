import type { LinkedWait } from '#api/public/waits/by-link.ts'
import { toRfc3339 } from '#core/clock.ts'
import { escapeHtml as e, type Page, page } from '../pages/page.ts'
import { formFields } from './form-fields.ts'
import { subjectHtml } from './subject-html.ts'

type Open = {
  wait: Pick<LinkedWait, 'title' | 'details' | 'expires_at'>
  value: unknown
  baseUrl: string
  nonce: string
  /** After an answer that did not fit: what was wrong, and what was filled in. */
  problem?: string
  given?: URLSearchParams
}

/** Works without scripts, and links to nothing: whoever is here has no account. */
export function openPage({ wait, value, baseUrl, nonce, problem, given }: Open): Page {
  const { title, details, expires_at } = wait
  const until = toRfc3339(expires_at)
  const fields = details.form ? formFields(details.form, given ?? null) : ''
  return page({
    title,
    media: true,
    body: `<main class="narrow consent">
<h1>${e(title)}</h1>
${details.description ? `<p class="lead subject">${e(details.description)}</p>` : ''}
${subjectHtml(value, baseUrl)}
<form method="post">
<input type="hidden" name="nonce" value="${e(nonce)}">
${problem ? `<p class="note" data-kind="error" role="alert">${e(problem)}</p>` : ''}
${fields}
<div class="buttons">
<button name="decision" value="approve">Approve</button>
<button name="decision" value="reject" class="quiet" formnovalidate>Reject</button>
</div>
<p class="note">You can answer until <time datetime="${until}">${until.slice(0, 16).replace('T', ' ')}</time> UTC.</p>
</form>
</main>`,
  })
}

export type ClosedState = 'sent' | 'answered' | 'expired' | 'cancelled' | 'unknown'

const words: Record<ClosedState, { title: string; lead: string }> = {
  sent: { title: 'Thank you', lead: 'You can close this page.' },
  answered: { title: 'This has been answered', lead: 'There is nothing more to do here.' },
  expired: { title: 'This has expired', lead: 'The time to answer has passed.' },
  cancelled: {
    title: 'No answer is needed any more',
    lead: 'What asked for it has ended.',
  },
  unknown: {
    title: 'This link is not known',
    lead: 'Open it again from the message you got, or ask whoever sent it.',
  },
}

export const closedPage = (state: ClosedState): Page => {
  const { title, lead } = words[state]
  return page({
    title,
    body: `<main class="narrow"><h1>${title}</h1><p class="lead">${lead}</p></main>`,
  })
}
