// Runs a script or a tool of the workspace with the workspace's own Node, after installing what is missing:
//   node packages/cli/bin/with-setup.mjs <script.ts> [argument…]
//   node packages/cli/bin/with-setup.mjs --bin <tool> [argument…]
// Nothing is imported before the check, so that an old Node gets the sentence below and not a syntax error.
const oldestMajor = 20

if (Number.parseInt(process.versions.node, 10) < oldestMajor) {
  console.error(
    `Tollgate needs Node ${oldestMajor} or later to set itself up; this is ${process.version}. Get one at https://nodejs.org.`
  )
  process.exit(1)
} else {
  import('../src/setup/main.mjs')
}
