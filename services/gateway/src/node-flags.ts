/**
 * What a gateway's Node should be started with: the young generation of V8 then takes a quarter of what it would, which is a
 * third of the memory for each open stream (`npm run bench -- memory`). It is collected more often, which costs some two
 * hundredths of the CPU time for a request. V8 rounds the size, in MB, up to a power of two.
 */
export const gatewayNodeFlags: readonly string[] = ['--max-semi-space-size=4']
