const form = document.getElementById('setup')
const note = document.getElementById('note')
const button = form.querySelector('button')
const token = new URLSearchParams(location.hash.slice(1)).get('token')

const say = (kind, text) => {
  note.dataset.kind = kind
  note.textContent = text
}

if (!token) say('error', 'This link lacks its token. Open the whole link that the server printed.')

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (!form.reportValidity()) return
  button.disabled = true
  say('', 'Setting up …')
  try {
    const { email, password } = Object.fromEntries(new FormData(form))
    const response = await fetch('/api/console/v1/set-up', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, email, password }),
    })
    const answer = await response.json()
    if (!answer.success) throw new Error(answer.error.message)
    history.replaceState(null, '', '/setup')
    location.replace('/console/welcome')
  } catch (error) {
    say('error', error.message)
    button.disabled = false
  }
})
