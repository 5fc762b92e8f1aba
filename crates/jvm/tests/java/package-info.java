@nulls.Maybe.NullMarked
package marked;
