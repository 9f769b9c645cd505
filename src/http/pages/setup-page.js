const form = document.getElementById('setup')
const note = document.getElementById('note')
const button = form.querySelector('button')
const organisation = document.getElementById('organisation')
const token = new URLSearchParams(location.hash.slice(1)).get('token')

const say = (kind, text) => {
  note.dataset.kind = kind
  note.textContent = text
}

if (!token) say('error', 'This link lacks its token. Open the whole link that the server printed.')

const call = async (path, body) => {
  const response = await fetch(`/api/console/v1${path}`, {
    ...(body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  const answer = await response.json()
  if (!answer.success) throw new Error(answer.error.message)
  return answer.data
}

const setUp = async (work) => {
  button.disabled = true
  say('', 'Setting up …')
  try {
    const next = await work()
    history.replaceState(null, '', '/setup')
    location.replace(next)
  } catch (error) {
    say('error', error.message)
    button.disabled = false
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  if (!form.reportValidity()) return
  const { email, password } = Object.fromEntries(new FormData(form))
  setUp(() => call('/set-up', { token, email, password }).then(() => '/console/welcome'))
})

organisation.addEventListener('click', () =>
  setUp(() => call('/oidc/link', { kind: 'set-up', token }).then(({ address }) => address)),
)
call('/session').then(
  ({ oidc }) => {
    organisation.hidden = !oidc
  },
  () => {},
)
