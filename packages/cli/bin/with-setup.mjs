// Runs a script or a tool of the workspace with the workspace's own Node, after installing what is missing:
//   node packages/cli/bin/with-setup.mjs <script.ts> [argument…]
//   node packages/cli/bin/with-setup.mjs --bin <tool> [argument…]
//
// The version check runs before any import, so that an old Node prints the message below and no syntax error.
const minMajor = 20

if (Number.parseInt(process.versions.node, 10) < minMajor) {
  console.error(
    `Tollgate needs Node ${minMajor} or later to set itself up; this is ${process.version}. Get one at https://nodejs.org.`
  )
  process.exit(1)
} else {
  import('../src/setup/with-setup.mjs')
}
