// For machines without curl: the few options that examples/curl.sh uses.
import { readFileSync, writeFileSync } from 'node:fs'

const words = process.argv.slice(2)
const headers = new Headers()
let [method, url, body, file, form] = ['GET', '', undefined, '', '']
while (words.length > 0) {
  const word = words.shift()
  if (word === '-sS') continue
  if (word === '-X') method = words.shift()
  else if (word === '-o') file = words.shift()
  else if (word === '-w') form = words.shift()
  else if (word === '--data-binary') body = words.shift()
  else if (word === '-H') {
    const given = words.shift()
    const line = given.startsWith('@') ? readFileSync(given.slice(1), 'utf8').trim() : given
    headers.set(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim())
  } else if (word.startsWith('-')) throw new Error(`this stand-in for curl does not know ${word}`)
  else url = word
}
fetch(url, { method, headers, body }).then(async (answer) => {
  writeFileSync(file, Buffer.from(await answer.arrayBuffer()))
  process.stdout.write(form.replace('%{http_code}', String(answer.status)))
})
