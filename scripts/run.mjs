// Runs on Node 20 or later, before anything is installed: installs everything, then runs the given
// script in the Node that the project pins. A server is started through bin/ instead.
import { join } from 'node:path'
import { handOver, pinnedNode } from '../bin/pinned-node.mjs'
import { install, root } from './install.mjs'

install('all')
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'node')
const [script, ...rest] = process.argv.slice(2)
handOver(pinnedNode(), [join(root, script), ...rest])
