// Removes a secret from an answer that repeats it, because answers are recorded and shown. An echo
// may spell it in another way: services that reflect headers encode them, and whoever wants to read
// a secret asks for such a service. Every spelling here costs one search of the text.
import { type CredentialSecret, encodedBasic, secretOf } from './credential.ts'

/** A shorter text would be found by chance in answers that do not repeat the secret. */
const shortestHidden = 8

/** Replaces every repetition of the secret, in the spellings that are cheap to find. */
export function hideIn(text: string, secret: CredentialSecret, name: string): string {
  const { exact, anyCase } = spellingsOf(secret)
  const mark = `[credential ${name}]`
  let hidden = text
  for (const spelling of exact) hidden = hidden.replaceAll(spelling, mark)
  let folded = foldCase(hidden)
  for (const spelling of anyCase) {
    if (!folded.includes(spelling)) continue
    hidden = replacedAt(hidden, folded, { spelling, mark })
    folded = foldCase(hidden)
  }
  return hidden
}

/** Those in `anyCase` are in lower case. */
type Spellings = { exact: readonly string[]; anyCase: readonly string[] }

const remembered = new WeakMap<CredentialSecret, Spellings>()

/** Longest first, so that no shorter spelling leaves the rest of a longer one behind. */
function spellingsOf(secret: CredentialSecret): Spellings {
  const known = remembered.get(secret)
  if (known) return known
  const basic = secret.kind === 'basic' ? [encodedBasic(secret)] : []
  const forms = [...basic, secretOf(secret)].filter(({ length }) => length >= shortestHidden)
  const sorted = (texts: string[]) => [...new Set(texts)].sort((a, b) => b.length - a.length)
  const made = {
    exact: sorted([...basic, ...forms.flatMap((form) => base64Of(Buffer.from(form)))]),
    anyCase: sorted(forms.flatMap(lettersOf).map(foldCase)),
  }
  remembered.set(secret, made)
  return made
}

/** As it is, backwards, in JSON, in an address, in hexadecimal. */
function lettersOf(form: string): string[] {
  const bytes = Buffer.from(form)
  const backwards = [...form].reverse().join('')
  const percent = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  const plain = [form, backwards].flatMap((text) => [text, jsonOf(text), encodeURIComponent(text)])
  return [...plain, percent, bytes.toString('hex')]
}

const jsonOf = (text: string): string => JSON.stringify(text).slice(1, -1)

/**
 * The digits that only the secret decides, for each of its three positions within a longer text:
 * those shared with its neighbours are left out, and so are paddings.
 */
function base64Of(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const firstDigit = Math.ceil((offset * 8) / 6)
    const wholeDigits = Math.floor(((offset + bytes.length) * 8) / 6)
    const digits = text.slice(firstDigit, wholeDigits)
    return [digits, digits.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

function replacedAt(
  text: string,
  folded: string,
  { spelling, mark }: { spelling: string; mark: string },
): string {
  let [hidden, from] = ['', 0]
  for (let at = folded.indexOf(spelling); at !== -1; at = folded.indexOf(spelling, from)) {
    hidden += text.slice(from, at) + mark
    from = at + spelling.length
  }
  return hidden + text.slice(from)
}

/** In lower case, with every letter where it was. */
function foldCase(text: string): string {
  const lower = text.toLowerCase()
  // Some letters, such as a capital I with a dot, become two.
  return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (one) => one.toLowerCase())
}
