/**
 * Limits of a request body. Real requests stay below them: an embeddings request of 300,000 tokens has 300,000 values
 * and no depth; 128 tools with large schemas have about 60,000 names.
 */
export const maxDepth = 128
export const maxValues = 400_000
export const maxNames = 100_000
/** Names in one object. The reader keeps them until the object ends, to find repeated names. */
export const maxObjectNames = 10_000
/** Top-level members of the request. */
export const maxMembers = 1000
/** Bytes of a member's name. */
export const maxNameLength = 4096
/** Bytes of a value that the gateway itself reads, such as `model`. */
export const maxReadLength = 4096
