import type { AuthorizationRequest } from '#auth/oauth/authorization.ts'
import { formActionOf, receiverOf } from '#auth/oauth/redirect-uri.ts'
import { oauthPaths } from '#auth/oauth/server-metadata.ts'
import { isDefaultScope, type Scope } from '#core/scopes.ts'
import { escapeHtml as e, type Page, page } from '../pages/page.ts'

const permissions: Record<Scope, string> = {
  'models:read': 'See the models and their prices',
  'chat:write': 'Ask text models, which costs money',
  'tasks:read': 'See your images and videos',
  'tasks:write': 'Generate images and videos, which costs money',
  'workflows:read': 'See your workflows',
  'workflows:write': 'Create, change and delete workflows',
  'runs:read': 'See runs and their results',
  'runs:write': 'Start and cancel runs, which costs money',
  'waits:answer': 'Approve and reject what runs wait for, in your name',
}

/** Works without scripts. Its policy allows the form's answer to redirect to the client. */
export function consentPage(
  request: AuthorizationRequest,
  form: { sealed: string; email: string | null; problem?: string | undefined },
): Page {
  const { clientName, clientId, redirectUri, scopes } = request
  const host = clientId.startsWith('https://') ? new URL(clientId).host : null
  const boxes = scopes.map(
    (scope) =>
      `<label class="choice"><input type="checkbox" name="scope" value="${scope}"${isDefaultScope(scope) ? ' checked' : ''}> <span>${permissions[scope]} <code>${scope}</code></span></label>`,
  )
  return page({
    title: `Connect ${clientName} · Atelier`,
    formAction: formActionOf(redirectUri),
    body: `<main class="narrow consent">
<h1><img src="/favicon.svg" alt="" width="32" height="32">Connect ${e(clientName)}?</h1>
<p class="lead">${e(clientName)} wants to use Atelier for you${form.email === null ? '' : `, ${e(form.email)}`}. ${
      host === null
        ? 'It chose this name itself: connect it only if you have just begun this in that app.'
        : `It is published by <strong>${e(host)}</strong>.`
    }</p>
<form method="post" action="${oauthPaths.authorize}">
<input type="hidden" name="request" value="${form.sealed}">
<p>Access will be given to <strong>${e(receiverOf(redirectUri))}</strong>.</p>
${form.problem ? `<p class="note" data-kind="error" role="alert">${e(form.problem)}</p>` : ''}
<fieldset><legend>It may</legend>
${boxes.join('\n')}
</fieldset>
<div class="buttons">
<button name="decision" value="allow">Connect</button>
<button name="decision" value="deny" class="quiet" formnovalidate>Cancel</button>
</div>
<p class="note">You can disconnect it at any time in the console, under Developer, Connect.</p>
</form>
</main>`,
  })
}

/** Says why an app cannot be connected. The link reports the same to the client. */
export const refusalPage = (message: string, backTo: string | null): Page =>
  page({
    title: 'This app cannot be connected · Atelier',
    body: `<main class="narrow">
<h1>This app cannot be connected</h1>
<p class="lead">${e(message)}</p>
${
  backTo === null
    ? '<p>Nothing was sent to the app.</p>'
    : `<p><a href="${e(backTo)}">Go back to ${e(receiverOf(backTo))}</a></p>`
}
</main>`,
  })
