// A double in its own process, so that it outlives the server under test:
//   node test/support/provider-doubles/main.ts <kind> [--key=…] [--port=…] [--follow-stdin]
// Prints {"url","origin","key"} as one JSON line once it serves. With --follow-stdin it ends when
// its standard input does, so that no double is left behind by a test that dies.
import { startDouble } from './double.ts'
import { type DoubleKind, wires } from './wires.ts'

const [kind = '', ...flags] = process.argv.slice(2)
const flag = (name: string) =>
  flags.find((one) => one.startsWith(`--${name}=`))?.slice(name.length + 3)

if (!Object.hasOwn(wires, kind)) {
  console.error(`usage: main.ts ${Object.keys(wires).join('|')} [--key=…] [--port=…]`)
  process.exit(2)
}
const key = flag('key')
const port = flag('port')
const double = await startDouble(wires[kind as DoubleKind], {
  ...(key ? { key } : {}),
  ...(port ? { port: Number(port) } : {}),
})
console.log(JSON.stringify({ url: double.url, origin: double.origin, key: double.key }))

const end = () => double.close().then(() => process.exit(0))
process.once('SIGTERM', end)
process.once('SIGINT', end)
if (flags.includes('--follow-stdin')) process.stdin.resume().once('end', end)
