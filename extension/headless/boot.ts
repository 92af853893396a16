/**
 * What `dist/headless.js` is: it switches on Node's compile cache (22.1 and newer), with which the bundle behind it loads in a third less time, and
 * loads that bundle. Nothing else may be here: the cache works only on files that are loaded after it was switched on.
 */
import * as nodeModule from 'node:module';

const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: () => unknown };
enableCompileCache?.();
nodeModule.createRequire(__filename)('./headless-main.js');
