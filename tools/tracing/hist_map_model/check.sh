#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# check.sh FOLDER passes|fails DEFINITIONS: has spin look at all that map.pml can do.
model=$PWD/map.pml
cd "$1" || exit 1
rm -f pan* *.trail
spin -a $3 "$model" >spin.log 2>&1 && cc -O2 -DSAFETY -DCOLLAPSE -opan pan.c 2>>spin.log ||
	{ cat spin.log; exit 1; }
./pan -m200000 >pan.log 2>&1
if ! grep -q '^State-vector' pan.log ||
   grep -q 'max search depth too small\|out of memory' pan.log; then
	cat pan.log
	exit 1
fi
states=$(awk '/states, stored/ { print $1 }' pan.log)
errors=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' pan.log)
case $2,$errors in
passes,0|fails,[1-9]*) echo "hist_map ${3:-as it is}: $2 as it should, $states states" ;;
*) echo "hist_map ${3:-as it is}: $errors errors, should be one that $2"; cat pan.log; exit 1 ;;
esac
