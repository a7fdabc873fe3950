/** How imports are read. */
export const options = {
  // The compiler of TypeScript 6, see pnpm-workspace.yaml.
  parser: 'tsc',
  tsPreCompilationDeps: true,
  doNotFollow: { path: 'node_modules' },
  exclude: { path: ['/node_modules/[.]cache/', '/dist/'] },
  enhancedResolveOptions: {
    exportsFields: ['exports'],
    conditionNames: ['import', 'node', 'types', 'default'],
    extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    mainFields: ['module', 'main', 'types']
  }
}
