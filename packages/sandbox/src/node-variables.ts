/** The variables that configure Node in this process. Child processes that get them start faster. */
export function nodeVariables(): { NODE_COMPILE_CACHE?: string; NODE_OPTIONS?: string } {
  const { NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env
  return {
    ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
    ...(NODE_OPTIONS !== undefined && { NODE_OPTIONS })
  }
}
