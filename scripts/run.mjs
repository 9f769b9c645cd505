// Runs on any Node from 20 on, before anything is installed: installs everything, then goes on
// with the script it is given in the Node the project pins. A server has its own way: bin/.
import { join } from 'node:path'
import { handOver, pinnedNode } from '../bin/pinned-node.mjs'
import { install, root } from './install.mjs'

install('all')
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'node')
const [script, ...rest] = process.argv.slice(2)
handOver(pinnedNode(), [join(root, script), ...rest])
