/**
 * What a gateway's Node should be started with. V8's young generation is a quarter as large as it would be, which saves a
 * third of the memory for each open stream (`npm run bench -- memory`). It is collected more often: that costs some two
 * hundredths of a request's CPU time. V8 rounds the size, in MB, up to a power of two.
 */
export const gatewayNodeFlags: readonly string[] = ['--max-semi-space-size=4']
