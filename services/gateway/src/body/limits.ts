/**
 * What a body may have. Every request in real use has far less: an embeddings request of 300,000 tokens has 300,000
 * values and no depth, 128 tools with large schemas some 60,000 names.
 */
export const maxDepth = 128
export const maxValues = 400_000
export const maxNames = 100_000
/** Names of one object: they are remembered until it ends, to tell whether one comes again. */
export const maxObjectNames = 10_000
/** Members of the request itself. */
export const maxMembers = 1000
/** Bytes of a member's name. */
export const maxNameLength = 4096
/** Bytes of a value that the gateway itself reads, such as `model`. */
export const maxReadLength = 4096
